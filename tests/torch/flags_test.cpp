// Tests which values of the switches a backward pass uses. atc_torch_convolution uses the values at
// the time of the forward pass. After install(), the values at the time of the backward pass are
// used, as in LibTorch. The keys of the records contain the values.
#include <gtest/gtest.h>

#include <ATen/Functions.h>
#include <torch/csrc/autograd/autograd.h>

#include <nlohmann/json.hpp>
#include <set>

#include "atc/settings.h"
#include "support/bridge.hpp"
#include "support/derivatives.hpp"
#include "support/device.hpp"
#include "support/records.hpp"

namespace {

using namespace atc_torch_test;

// The direction in the key of a record, and whether the key says that the result had to be
// deterministic.
using Pair = std::pair<std::string, bool>;

// Returns the directions and switches in the keys of the records.
std::set<Pair> asked(const Records& records) {
  std::set<Pair> pairs;
  for (const auto& entry : nlohmann::json::parse(records.list())) {
    const auto& problem = entry.at("key").at("problem");
    pairs.emplace(problem.at("direction"), problem.at("allowed").at("deterministic"));
  }
  return pairs;
}

// True if deterministic_cudnn is on in the forward pass; and the device of the test.
using Param = std::tuple<bool, c10::DeviceType>;

class Flags : public testing::TestWithParam<Param> {
 protected:
  static bool in_forward() { return std::get<0>(GetParam()); }
  static c10::DeviceType device() { return std::get<1>(GetParam()); }

  void SetUp() override {
    ATC_SKIP_WITHOUT(device());
    ASSERT_DONE(atc_torch_init());
    ASSERT_DONE(atc_set_benchmark_technique(ATC_TECHNIQUE_ONCE));
    c_.device = device();
    c_.batch = 2;
    c_.in = c_.out = 4;
    c_.input = {6, 6};
    c_.kernel = {3, 3};
    c_.stride = c_.dilation = {1, 1};
    c_.padding = c_.output_padding = {0, 0};
    x_ = at::randn(c_.x_shape()).to(device()).requires_grad_();
    w_ = at::randn(c_.w_shape()).to(device()).requires_grad_();
  }
  void TearDown() override {
    EXPECT_DONE(atc_torch_uninstall());
    EXPECT_DONE(atc_set_deterministic_cudnn(0));
  }

  // Sets the switch deterministic_cudnn to the test's value for the forward pass, and to the
  // opposite value afterwards.
  at::Tensor forward_then_flip(const Convolution& convolution) {
    EXPECT_DONE(atc_set_deterministic_cudnn(in_forward() ? 1 : 0));
    const at::Tensor y = convolution(c_, x_, w_, std::nullopt);
    EXPECT_DONE(atc_set_deterministic_cudnn(in_forward() ? 0 : 1));
    return y;
  }
  torch::autograd::variable_list first_gradients(const at::Tensor& y) const {
    return torch::autograd::grad({y}, {x_, w_}, {at::ones_like(y)}, true, true);
  }

  Case c_;
  at::Tensor x_, w_;
  Records records_;
};

TEST_P(Flags, OwnFunctionKeepsThoseOfItsForwardPass) {
  const bool then = in_forward();
  const at::Tensor y = forward_then_flip(
      [](const Case& c, const at::Tensor& x, const at::Tensor& w,
         const std::optional<at::Tensor>& bias) { return of_atc(c, x, w, bias, true); });
  const auto first = first_gradients(y);
  const std::set<Pair> expected{
      {"forward", then}, {"backward-data", then}, {"backward-weight", then}};
  EXPECT_EQ(asked(records_), expected);
  // The switch was changed after the forward pass. The second derivatives must still use the value
  // that the forward pass has used.
  torch::autograd::grad({first[0], first[1]}, {x_, w_},
                        {at::ones_like(first[0]), at::ones_like(first[1])});
  EXPECT_EQ(asked(records_), expected);
}

TEST_P(Flags, InstalledReadsThoseOfTheMoment) {
  const bool then = in_forward();
  install(true, device());
  const at::Tensor y = forward_then_flip(of_libtorch);
  first_gradients(y);
  const std::set<Pair> expected{
      {"forward", then}, {"backward-data", !then}, {"backward-weight", !then}};
  EXPECT_EQ(asked(records_), expected);
}

INSTANTIATE_TEST_SUITE_P(Deterministic, Flags,
                         testing::Combine(testing::Bool(), testing::ValuesIn(kDevices)),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param) ? "InForward"
                                                                      : "InBackward") +
                                  name_of(std::get<1>(info.param));
                         });

}  // namespace
