// Tests convolutions of LibTorch that note their problems (ATC_TUNE_LATER). The noted problems are
// tuned between two steps, and the program is not restarted.
#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "atc/problems.h"
#include "atc/settings.h"
#include "atc/tune.h"
#include "support/bridge.hpp"
#include "support/close.hpp"

namespace {

using namespace atc_torch_test;

class Later : public testing::Test {
 protected:
  void SetUp() override {
    x_ = at::randn({2, 16, 14, 14});
    w_ = at::randn({24, 16, 3, 3});
    plain_ = at::conv2d(x_, w_, {}, 1, 1);
    ASSERT_DONE(atc_problems_create(&problems_));
    ASSERT_DONE(atc_torch_init());
    ASSERT_DONE(atc_set_benchmark_technique(ATC_TECHNIQUE_ONCE));
  }
  void TearDown() override {
    atc_problems_destroy(problems_);
    EXPECT_DONE(atc_torch_uninstall());
    EXPECT_DONE(atc_problems_forget_noted());
  }

  static void install(std::int32_t tune) {
    atc_torch_options options = ATC_TORCH_OPTIONS_INIT;
    options.tune = tune;
    EXPECT_DONE(atc_torch_install(&options));
    EXPECT_DONE(atc_torch_statistics_reset());
  }
  std::size_t noted() {
    EXPECT_DONE(atc_problems_add_noted(problems_));
    std::size_t count = 0;
    EXPECT_DONE(atc_problems_count(&count, problems_));
    return count;
  }
  void tune_noted() {
    atc_tune_options options = ATC_TUNE_OPTIONS_INIT;
    // The budget of a race (the timing of the candidates), in seconds. It is so long that no race
    // reaches it, even on a busy machine.
    options.problem_budget_seconds = 60;
    options.problems = problems_;
    EXPECT_DONE(atc_tune(nullptr, {ATC_DEVICE_CPU, 0}, nullptr, 0, &options, nullptr, nullptr));
  }
  at::Tensor convolved() const { return at::conv2d(x_, w_, {}, 1, 1); }

  at::Tensor x_, w_, plain_;
  atc_problems* problems_ = nullptr;
};

TEST_F(Later, AConvolutionRunsAsBeforeAndUsesTheChoiceThatWasTunedBetweenSteps) {
  install(ATC_TUNE_LATER);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(at::equal(convolved(), plain_)) << "LibTorch's bits";
  auto counts = counted();
  EXPECT_EQ(counts.passed[ATC_TORCH_PASSED_NOT_RECORDED], 3u);
  EXPECT_EQ(passed_in_all(counts), 3u);
  ASSERT_EQ(noted(), 1u);

  tune_noted();
  EXPECT_DONE(atc_torch_statistics_reset());
  EXPECT_TRUE(is_close(convolved(), plain_, 16 * 9));
  counts = counted();
  EXPECT_EQ(counts.taken + counts.passed[ATC_TORCH_PASSED_CHOSEN], 1u);
  EXPECT_EQ(counts.passed[ATC_TORCH_PASSED_NOT_RECORDED], 0u);
  EXPECT_EQ(noted(), 1u) << "the list has it still, and nothing was added";
}

TEST_F(Later, GradientsAreNotedToo) {
  install(ATC_TUNE_LATER);
  const at::Tensor x = x_.clone().requires_grad_(), w = w_.clone().requires_grad_();
  at::conv2d(x, w, {}, 1, 1).sum().backward();
  EXPECT_EQ(noted(), 3u);
  tune_noted();
  EXPECT_DONE(atc_torch_statistics_reset());
  at::conv2d(x, w, {}, 1, 1).sum().backward();
  EXPECT_EQ(counted().passed[ATC_TORCH_PASSED_NOT_RECORDED], 0u);
}

TEST_F(Later, NothingIsNotedUnlessItIsAskedFor) {
  install(0);
  convolved();
  install(ATC_OFF);
  convolved();
  EXPECT_EQ(counted().passed[ATC_TORCH_PASSED_NOTHING_KNOWN], 1u);
  EXPECT_EQ(noted(), 0u);
}

TEST_F(Later, AnotherValueIsRefusedByName) {
  atc_torch_options options = ATC_TORCH_OPTIONS_INIT;
  options.tune = ATC_TUNE_PREDICT + 1;
  EXPECT_EQ(atc_torch_install(&options), ATC_ERROR_INVALID_ARGUMENT);
  EXPECT_THAT(atc_last_error(), testing::HasSubstr("options.tune is 6: use 0"));
}

// A process reads the environment variable ATC_TUNE only once. So the test runs in a process of its
// own.
TEST_F(Later, TheEnvironmentSaysWhatConvolutionsWithoutTheOptionDo) {
  ASSERT_EQ(setenv("ATC_TUNE", "later", 1), 0);
  install(0);
  convolved();
  EXPECT_EQ(noted(), 1u);
}

}  // namespace
