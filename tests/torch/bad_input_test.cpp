// Tests arguments that the bridge refuses, whichever version of LibTorch it was built for. The
// error must have the documented status and a sentence that names the argument, and the output must
// not change.
#include <ATen/Functions.h>
#include <gmock/gmock.h>

#include <array>
#include <limits>
#include <memory>

#include "support/bridge.hpp"

namespace {

using namespace atc_torch_test;
using testing::HasSubstr;

const atc_torch_tensor* pass(const at::Tensor& tensor) {
  return reinterpret_cast<const atc_torch_tensor*>(&tensor);
}

class BadInput : public testing::Test {
 protected:
  BadInput() : x_(at::randn({2, 4, 7, 7})), w_(at::randn({6, 4, 3, 3})), b_(at::randn({6})) {
    EXPECT_DONE(atc_torch_geometry_init(&geometry_, 2));
    options_.struct_size = sizeof(options_);
  }

  void expect_refused(const char* words, const atc_torch_tensor* x, const atc_torch_tensor* w,
                      const atc_torch_tensor* b, const atc_torch_geometry* geometry,
                      const atc_torch_options* options) {
    auto* const before = reinterpret_cast<atc_torch_tensor*>(this);
    atc_torch_tensor* out = before;
    EXPECT_EQ(atc_torch_convolution(&out, x, w, b, geometry, options), ATC_ERROR_INVALID_ARGUMENT);
    EXPECT_THAT(atc_last_error(), HasSubstr(words));
    EXPECT_EQ(out, before);
  }
  void expect_refused(const char* words) {
    expect_refused(words, pass(x_), pass(w_), pass(b_), &geometry_, &options_);
  }

  at::Tensor x_, w_, b_, undefined_;
  atc_torch_geometry geometry_{};
  atc_torch_options options_{};
};

TEST_F(BadInput, WhatIsGoodIsTaken) {
  atc_torch_tensor* out = nullptr;
  ASSERT_DONE(atc_torch_convolution(&out, pass(x_), pass(w_), pass(b_), &geometry_, &options_));
  const std::unique_ptr<at::Tensor> y(reinterpret_cast<at::Tensor*>(out));
  EXPECT_EQ(y->sizes(), at::IntArrayRef({2, 6, 5, 5}));
}

TEST_F(BadInput, NullAndUndefinedTensors) {
  const auto *x = pass(x_), *w = pass(w_), *b = pass(b_), *undefined = pass(undefined_);
  expect_refused("x is missing", nullptr, w, b, &geometry_, &options_);
  expect_refused("w is missing", x, nullptr, b, &geometry_, &options_);
  expect_refused("geometry is missing", x, w, b, nullptr, &options_);
  expect_refused("x is an undefined tensor", undefined, w, b, &geometry_, &options_);
  expect_refused("w is an undefined tensor", x, undefined, b, &geometry_, &options_);
  expect_refused("bias is an undefined tensor", x, w, undefined, &geometry_, &options_);
  EXPECT_EQ(atc_torch_convolution(nullptr, x, w, b, &geometry_, &options_),
            ATC_ERROR_INVALID_ARGUMENT);
  EXPECT_THAT(atc_last_error(), HasSubstr("out is missing"));
}

TEST_F(BadInput, Geometry) {
  for (const std::int32_t dims : {0, 4, -1, std::numeric_limits<std::int32_t>::max()}) {
    geometry_.spatial_dims = dims;
    expect_refused(("spatial_dims is " + std::to_string(dims)).c_str());
    atc_torch_geometry untouched{};
    untouched.groups = 77;
    EXPECT_EQ(atc_torch_geometry_init(&untouched, dims), ATC_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(untouched.groups, 77);
  }
  geometry_.spatial_dims = 2;
  for (const std::int32_t transposed : {-1, 2}) {
    geometry_.transposed = transposed;
    expect_refused("geometry.transposed is ");
  }
  EXPECT_EQ(atc_torch_geometry_init(nullptr, 2), ATC_ERROR_INVALID_ARGUMENT);
  EXPECT_THAT(atc_last_error(), HasSubstr("out is missing"));
}

TEST_F(BadInput, SizesOfStructs) {
  for (const std::uint32_t size : {0u, 4u, static_cast<std::uint32_t>(sizeof(geometry_)) - 1}) {
    geometry_.struct_size = size;
    expect_refused("geometry.struct_size is ");
  }
  geometry_.struct_size = sizeof(geometry_);
  options_.struct_size = sizeof(options_) - 1;
  expect_refused("options.struct_size is ");
  EXPECT_EQ(atc_torch_install(&options_), ATC_ERROR_INVALID_ARGUMENT);
  EXPECT_THAT(atc_last_error(), HasSubstr("options.struct_size is "));
  EXPECT_EQ(described().installed, 0);

  atc_torch_info info{};
  info.struct_size = sizeof(info) - 1;
  EXPECT_EQ(atc_torch_describe(&info), ATC_ERROR_INVALID_ARGUMENT);
  EXPECT_THAT(atc_last_error(), HasSubstr("out.struct_size is "));
  EXPECT_STREQ(info.version, "");
  atc_torch_statistics counts{};
  counts.taken = 77;
  EXPECT_EQ(atc_torch_statistics_get(&counts), ATC_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(counts.taken, 77u);
}

// The caller's struct belongs to a later version and has more fields. A field that this version
// does not know must be zero.
TEST_F(BadInput, FieldsOfTheFuture) {
  struct Later {
    atc_torch_options options{};
    std::array<std::uint64_t, 2> more{};
  } later;
  later.options.struct_size = sizeof(later);
  EXPECT_DONE(atc_torch_install(&later.options));
  EXPECT_DONE(atc_torch_uninstall());
  later.more[1] = 1;
  EXPECT_EQ(atc_torch_install(&later.options), ATC_ERROR_INVALID_ARGUMENT);
  EXPECT_THAT(atc_last_error(), HasSubstr("options has a field that this atc does not know"));
}

TEST_F(BadInput, Options) {
  const std::pair<std::int32_t atc_torch_options::*, const char*> switches[] = {
      {&atc_torch_options::tune, "options.tune is "},
      {&atc_torch_options::constant_weights, "options.constant_weights is "},
      {&atc_torch_options::allow_reference, "options.allow_reference is "}};
  for (const auto& [field, words] : switches) {
    for (const std::int32_t value : {-1, field == &atc_torch_options::tune ? 6 : 3}) {
      options_.*field = value;
      expect_refused(words);
      EXPECT_EQ(atc_torch_install(&options_), ATC_ERROR_INVALID_ARGUMENT);
    }
    options_.*field = 0;
  }
  for (const double seconds : {-1.0, std::numeric_limits<double>::quiet_NaN()}) {
    options_.budget_seconds = seconds;
    expect_refused("options.budget_seconds is ");
  }
  EXPECT_EQ(described().installed, 0);
}

TEST_F(BadInput, SwitchesAndTheirOuts) {
  for (const std::int32_t value : {-1, 2}) {
    EXPECT_EQ(atc_torch_set_fill_uninitialized_memory(value), ATC_ERROR_INVALID_ARGUMENT);
    EXPECT_THAT(atc_last_error(), HasSubstr("enabled is "));
  }
  for (const atc_torch_precision value : {0, 4, -1}) {
    EXPECT_EQ(atc_torch_set_float32_matmul_precision(value), ATC_ERROR_INVALID_ARGUMENT);
    EXPECT_THAT(atc_last_error(), HasSubstr("precision is " + std::to_string(value)));
  }
  for (const atc_status status : {atc_torch_get_fill_uninitialized_memory(nullptr),
                                  atc_torch_get_float32_matmul_precision(nullptr),
                                  atc_torch_describe(nullptr), atc_torch_statistics_get(nullptr)}) {
    EXPECT_EQ(status, ATC_ERROR_INVALID_ARGUMENT);
    EXPECT_THAT(atc_last_error(), HasSubstr("out is missing"));
  }
}

// The error must have LibTorch's text without its stack trace.
TEST_F(BadInput, ShapesThatLibTorchRefuses) {
  geometry_.stride[0] = 0;
  expect_refused("non-positive stride is not supported");
  EXPECT_THAT(atc_last_error(), testing::Not(HasSubstr("frame #")));
  geometry_.stride[0] = 1;
  geometry_.groups = 3;
  expect_refused("groups");
  geometry_.groups = 1;
  x_ = at::randn({2, 5, 7, 7});
  expect_refused("channels");
}

// LibTorch has no convolution for sparse and quantized tensors, so the bridge must fail, too.
TEST_F(BadInput, TensorsThatLibTorchRefuses) {
  x_ = x_.to_sparse();
  expect_refused("");
  EXPECT_STRNE(atc_last_error(), "");
  x_ = at::quantize_per_tensor(at::randn({2, 4, 7, 7}), 0.1, 0, at::kQInt8);
  expect_refused("");
  EXPECT_STRNE(atc_last_error(), "");
}

}  // namespace
