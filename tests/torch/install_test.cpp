// Tests the hooks that replace LibTorch's convolutions: which calls atc runs, and which calls are
// left to LibTorch.
#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "atc/store.h"
#include "atc/torch.h"
#include "support/close.hpp"

namespace {

atc_torch_statistics counted() {
  atc_torch_statistics counts{};
  counts.struct_size = sizeof(counts);
  EXPECT_EQ(atc_torch_statistics_get(&counts), ATC_OK) << atc_last_error();
  return counts;
}

class Install : public testing::Test {
 protected:
  void SetUp() override {
    at::manual_seed(1);
    x_ = at::randn({2, 16, 14, 14});
    w_ = at::randn({24, 16, 3, 3});
    b_ = at::randn({24});
    plain_ = at::conv2d(x_, w_, b_, 1, 1);
    ASSERT_EQ(atc_torch_statistics_reset(), ATC_OK);
  }
  void TearDown() override {
    EXPECT_EQ(atc_torch_uninstall(), ATC_OK);
    EXPECT_EQ(atc_store_use(nullptr), ATC_OK);
  }
  void install(bool tune) {
    atc_torch_options options{};
    options.struct_size = sizeof(options);
    options.tune = tune ? ATC_ON : 0;
    options.budget_seconds = 0.3;
    ASSERT_EQ(atc_torch_install(&options), ATC_OK) << atc_last_error();
  }

  at::Tensor x_, w_, b_, plain_;
};

TEST_F(Install, AtDefaultsNothingChangesAndIsCounted) {
  install(false);
  EXPECT_TRUE(at::equal(at::conv2d(x_, w_, b_, 1, 1), plain_));
  const auto counts = counted();
  EXPECT_EQ(counts.taken, 0u);
  EXPECT_EQ(counts.passed[ATC_TORCH_PASSED_NOTHING_KNOWN], 1u);
}

TEST_F(Install, TuningTakesOrPassesAndGivesTheSameConvolution) {
  install(true);
  const at::Tensor y = at::conv2d(x_, w_, b_, 1, 1);
  EXPECT_TRUE(atc_torch_test::is_close(y, plain_, 16 * 9));
  EXPECT_EQ(y.strides(), plain_.strides());
  const auto counts = counted();
  EXPECT_EQ(counts.taken + counts.passed[ATC_TORCH_PASSED_CHOSEN], 1u);
}

}  // namespace
