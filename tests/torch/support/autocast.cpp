#include "autocast.hpp"

#include <ATen/Functions.h>
#include <ATen/autocast_mode.h>
#include <gtest/gtest.h>

namespace atc_torch_test {

namespace {

class Autocast {
 public:
  Autocast(c10::DeviceType device, at::ScalarType dtype) : device_(device) {
    at::autocast::set_autocast_enabled(device_, true);
    at::autocast::set_autocast_dtype(device_, dtype);
  }
  ~Autocast() {
    at::autocast::set_autocast_enabled(device_, false);
    at::autocast::clear_cache();
  }
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  c10::DeviceType device_;
};

}  // namespace

AutocastLayer::AutocastLayer(const Case& c)
    : case_(c), operands_(make_operands(c)), exact_(c, operands_) {
  for (at::Tensor* tensor : {&operands_.x, &operands_.w, &operands_.bias, &operands_.vx,
                             &operands_.vw, &operands_.vbias})
    *tensor = tensor->to(at::kFloat);
}

Derivatives AutocastLayer::run() const {
  return derive(case_, operands_,
                [](const Case& of, const at::Tensor& x, const at::Tensor& w,
                   const std::optional<at::Tensor>& bias) {
                  const Autocast on(of.device, of.dtype);
                  return at::conv2d(x, w, bias, of.stride, of.padding, of.dilation, of.groups);
                });
}

void AutocastLayer::expect_right(const Derivatives& got, const Derivatives& plain) const {
  for (int i = 0; i < kDerivatives; ++i) {
    const auto at = static_cast<std::size_t>(i);
    EXPECT_EQ(compare_layout(got[at], plain[at]), "") << kNames[i];
    EXPECT_EQ(exact_.compare(i, got[at]), "") << kNames[i];
  }
}

}  // namespace atc_torch_test
