// Tests convolutions of LibTorch whose choice is predicted from earlier races (ATC_TUNE_PREDICT).
#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "atc/settings.h"
#include "atc/store.h"
#include "atc/tune.h"
#include "support/bridge.hpp"
#include "support/close.hpp"
#include "support/experience_file.hpp"
#include "support/noted.hpp"
#include "support/temp_folder.hpp"

namespace {

using namespace atc_torch_test;

class Predict : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_DONE(atc_torch_init());
    ASSERT_DONE(atc_set_benchmark_technique(ATC_TECHNIQUE_ONCE));
    teach();
    plain_ = convolved();
  }
  void TearDown() override {
    EXPECT_DONE(atc_torch_uninstall());
    EXPECT_DONE(atc_cache_clear());
    EXPECT_DONE(atc_store_use(nullptr));
    atc_store_close(store_);
  }

  static void install(std::int32_t tune) {
    atc_torch_options options = ATC_TORCH_OPTIONS_INIT;
    options.tune = tune;
    ASSERT_DONE(atc_torch_install(&options));
    EXPECT_DONE(atc_torch_statistics_reset());
  }

  at::Tensor convolved() const { return at::conv2d(x_, w_, {}, 1, 1); }

  std::array<at::Tensor, 2> gradients() const {
    const at::Tensor x = x_.clone().requires_grad_(), w = w_.clone().requires_grad_();
    at::conv2d(x, w, {}, 1, 1).square().sum().backward();
    return {x.grad(), w.grad()};
  }

  const at::Tensor x_ = at::randn({2, 16, 14, 14}), w_ = at::randn({24, 16, 3, 3});
  at::Tensor plain_;

 private:
  void open() {
    ASSERT_DONE(atc_store_open(&store_, (folder_ / "store").c_str(), ATC_STORE_READ_WRITE));
    ASSERT_DONE(atc_store_use(store_));
  }

  // Replaces the store's experience (statistics of earlier races, from which choices are
  // predicted). By this experience, oneDNN needs e^-2 of the default's time in dense layers.
  void teach() {
    open();
    atc_conv_problem problem;
    ASSERT_DONE(atc_conv_problem_init(&problem, 2));
    problem.batch = problem.in_channels = problem.out_channels = 1;
    problem.input[0] = problem.input[1] = 9;
    ASSERT_DONE(atc_tune(nullptr, {ATC_DEVICE_CPU, 0}, &problem, 1, nullptr, nullptr, nullptr));
    ASSERT_DONE(atc_store_use(nullptr));
    atc_store_close(store_);
    atc::test::replace_experience(
        folder_ / "store", R"("onednn, forward f32 2-D channels first dense wide":[30,-2,0.01])");
    open();
  }

  const atc::test::TempFolder folder_;
  atc_store* store_ = nullptr;
};

TEST_F(Predict, AConvolutionRunsThePredictedChoiceAtOnce) {
  install(ATC_TUNE_PREDICT);
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(is_close(convolved(), plain_, 16 * 9));
  EXPECT_EQ(counted().taken, 2u);
  EXPECT_EQ(passed_in_all(counted()), 0u);
  EXPECT_EQ(atc::test::count_noted(), 0u);
}

TEST_F(Predict, GradientsRunThePredictedChoiceToo) {
  const auto plain = gradients();
  install(ATC_TUNE_PREDICT);
  const auto predicted = gradients();
  EXPECT_EQ(counted().taken, 3u) << "the convolution and both gradients";
  for (std::size_t i = 0; i < plain.size(); ++i)
    EXPECT_TRUE(at::allclose(predicted[i], plain[i], 1e-3, 1e-2)) << i;
}

TEST_F(Predict, LayersOfWhichNothingIsKnownRunLibTorchsOwnConvolution) {
  // The weights of a depthwise convolution. The store has no experience (statistics of earlier
  // races) about depthwise convolutions.
  const at::Tensor w = at::randn({16, 1, 3, 3});
  const at::Tensor plain = at::conv2d(x_, w, {}, 1, 1, 1, 16);
  install(ATC_TUNE_PREDICT);
  EXPECT_TRUE(at::equal(at::conv2d(x_, w, {}, 1, 1, 1, 16), plain));
  EXPECT_EQ(counted().taken, 0u);
}

TEST_F(Predict, NothingIsPredictedWithTuningOff) {
  install(ATC_OFF);
  EXPECT_TRUE(at::equal(convolved(), plain_)) << "LibTorch's bits";
  EXPECT_EQ(counted().taken, 0u);
}

}  // namespace
