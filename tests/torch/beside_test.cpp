// Tests convolutions of LibTorch whose candidates are measured beside the running program
// (ATC_TUNE_BESIDE).
#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <thread>

#include "atc/problems.h"
#include "support/background_share.hpp"
#include "support/bridge.hpp"
#include "support/close.hpp"
#include "support/noted.hpp"

namespace {

using namespace atc_torch_test;

// kPatience is the longest time for which a test waits for a decision. On a busy machine a decision
// can take minutes. Each time kRepetition is over, the cache is cleared, so that the candidates of
// the problem are tried again.
constexpr std::chrono::minutes kPatience{4};
constexpr std::chrono::seconds kRepetition{15};

class Beside : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_DONE(atc_torch_init());
    atc_torch_options options = ATC_TORCH_OPTIONS_INIT;
    options.tune = ATC_TUNE_BESIDE;
    ASSERT_DONE(atc_torch_install(&options));
    EXPECT_DONE(atc_torch_statistics_reset());
  }
  void TearDown() override {
    EXPECT_DONE(atc_torch_uninstall());
    EXPECT_DONE(atc_problems_forget_noted());
    EXPECT_DONE(atc_cache_clear());
  }

  template <typename Step>
  static void repeat_until_decided(Step step) {
    using std::chrono::steady_clock;
    const auto end = steady_clock::now() + kPatience;
    auto next = steady_clock::now() + kRepetition;
    step();
    while (atc::test::count_noted() != 0 && steady_clock::now() < end) {
      step();
      atc::test::give_background_threads_a_share();
      // Leaves a core idle for the worker thread, which tries the candidates.
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      if (steady_clock::now() < next) continue;
      EXPECT_DONE(atc_cache_clear());
      next = steady_clock::now() + kRepetition;
    }
    EXPECT_EQ(atc::test::count_noted(), 0u);
  }
};

TEST_F(Beside, ConvolutionsFindTheirChoiceAndStayRight) {
  const at::Tensor x = at::randn({2, 16, 30, 30}), w = at::randn({24, 16, 3, 3});
  ASSERT_DONE(atc_torch_uninstall());
  const at::Tensor plain = at::conv2d(x, w, {}, 1, 1);
  SetUp();
  const auto step = [&] { EXPECT_TRUE(is_close(at::conv2d(x, w, {}, 1, 1), plain, 16 * 9)); };
  step();
  EXPECT_EQ(counted().passed[ATC_TORCH_PASSED_NOT_RECORDED], 1u) << "LibTorch's own at first";
  EXPECT_EQ(atc::test::count_noted(), 1u);
  repeat_until_decided(step);
  EXPECT_DONE(atc_torch_statistics_reset());
  step();
  const auto counts = counted();
  EXPECT_EQ(counts.taken + counts.passed[ATC_TORCH_PASSED_CHOSEN] +
                counts.passed[ATC_TORCH_PASSED_NOT_RECORDED],
            1u);
}

TEST_F(Beside, GradientsAreTimedOneByOneAndStayRight) {
  const at::Tensor x0 = at::randn({2, 8, 20, 20}), w0 = at::randn({8, 8, 3, 3});
  const auto gradients = [&] {
    const at::Tensor x = x0.clone().requires_grad_(), w = w0.clone().requires_grad_();
    const at::Tensor bias = at::zeros({8}).requires_grad_();
    at::conv2d(x, w, bias, 1, 1).square().sum().backward();
    return std::array{x.grad(), w.grad(), bias.grad()};
  };
  ASSERT_DONE(atc_torch_uninstall());
  const auto plain = gradients();
  SetUp();
  const auto step = [&] {
    const auto found = gradients();
    for (std::size_t i = 0; i < plain.size(); ++i)
      EXPECT_TRUE(at::allclose(found[i], plain[i], 1e-3, 1e-2)) << i;
  };
  step();
  EXPECT_EQ(atc::test::count_noted(), 3u);
  repeat_until_decided(step);
}

}  // namespace
