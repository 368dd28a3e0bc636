// Tests the option `constant_weights`, with which the bridge keeps packed weights (weights in an
// engine's own layout): which weights are packed, and when they are packed again. All numbers are
// small integers, so results are exact.
#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/InferenceMode.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "atc/settings.h"
#include "support/bridge.hpp"
#include "support/records.hpp"
#include "support/scaling_engine.hpp"

namespace {

using namespace atc_torch_test;

void install_with_constant_weights(bool tune) {
  atc_torch_options options{};
  options.struct_size = sizeof(options);
  options.constant_weights = ATC_ON;
  options.tune = tune ? ATC_ON : ATC_OFF;
  // The budget of a race in seconds. Races take one sample of each candidate, so they end long
  // before the budget is used up.
  options.budget_seconds = 60;
  EXPECT_DONE(atc_torch_install(&options));
}

// Writes the weights as Python code does by `w.data`, so that autograd's version counter for the
// weights does not change.
void write_uncounted(const at::Tensor& w, float value) { w.variable_data().fill_(value); }

// A function that makes one step of an optimizer of LibTorch. The optimizer writes the weights
// without changing their version counter.
using Step = void (*)(const at::Tensor& w);

std::vector<at::Tensor> like(const at::Tensor& w) { return {at::ones_like(w)}; }
std::vector<at::Tensor> first_step() { return {at::ones({})}; }

void step_of_adam(const at::Tensor& w) {
  std::vector<at::Tensor> of{w}, gradient = like(w), mean = like(w), square = like(w),
                                 steps = first_step();
  at::_fused_adam_(of, gradient, mean, square, {}, steps, 0.1, 0.9, 0.99, 0, 1e-8, false, false);
}
void step_of_adamw(const at::Tensor& w) {
  std::vector<at::Tensor> of{w}, gradient = like(w), mean = like(w), square = like(w),
                                 steps = first_step();
  at::_fused_adamw_(of, gradient, mean, square, {}, steps, 0.1, 0.9, 0.99, 0.01, 1e-8, false,
                    false);
}
void step_of_sgd(const at::Tensor& w) {
  std::vector<at::Tensor> of{w}, gradient = like(w), momentum = like(w);
  at::_fused_sgd_(of, gradient, momentum, 0, 0.9, 0.1, 0, false, false, false);
}
void step_of_adagrad(const at::Tensor& w) {
  std::vector<at::Tensor> of{w}, gradient = like(w), sum = like(w), steps = first_step();
  at::_fused_adagrad_(of, gradient, sum, steps, 0.1, 0, 0, 1e-8, false);
}

class ConstantWeights : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_DONE(atc_torch_init());
    ASSERT_DONE(atc_set_benchmark_technique(ATC_TECHNIQUE_ONCE));
    tune();
  }
  void TearDown() override {
    EXPECT_DONE(atc_torch_uninstall());
    EXPECT_DONE(atc_torch_forget_weights());
    EXPECT_DONE(atc_set_deterministic_cudnn(0));
  }

  // Makes records that choose the test's engine for constant weights. If other programs have the
  // cores during the first execution of this engine, the race leaves the engine out. In this case a
  // signal of another length is tuned.
  void tune() {
    // A process remembers its measurements of a problem and does not repeat them. So each race (the
    // timing of the candidates) gets a signal of another length, which is another problem.
    static std::int64_t length = 40;
    constexpr int kRaces = 10;
    std::size_t preferred = 0;
    for (int race = 0; race < kRaces && preferred == 0; ++race) {
      x_ = signal(++length);
      install_with_constant_weights(true);
      at::conv1d(x_, weights(1));
      preferred = records_.prefer(ScalingEngine::kName);
    }
    ASSERT_GT(preferred, 0U);
    records_.use(ATC_STORE_READ);
    install_with_constant_weights(false);
    packed_before_ = engine_.times_packed();
    ASSERT_DONE(atc_torch_statistics_reset());
  }

  void expect_scaled(const at::Tensor& w, float by) {
    EXPECT_TRUE(at::equal(at::conv1d(x_, w), x_.mul(by)));
  }
  int times_packed() const { return engine_.times_packed() - packed_before_; }

  const ScalingEngine engine_;
  Records records_;
  at::Tensor x_;
  int packed_before_ = 0;
};

TEST_F(ConstantWeights, ArePackedOnceWhenTheyAreMetAgain) {
  const at::Tensor w = weights(2);
  expect_scaled(w, 2);
  EXPECT_EQ(times_packed(), 0);
  for (int i = 0; i < 3; ++i) expect_scaled(w, 2);
  EXPECT_EQ(times_packed(), 1);
  EXPECT_EQ(counted().taken, 4u);
  w.fill_(3);
  expect_scaled(w, 3);
  expect_scaled(w, 3);
  EXPECT_EQ(times_packed(), 2);
  ASSERT_DONE(atc_torch_forget_weights());
  expect_scaled(w, 3);
  expect_scaled(w, 3);
  EXPECT_EQ(times_packed(), 3);
}

TEST_F(ConstantWeights, ArePackedAnewAfterAWriteToAllOfThemThatIsNotCounted) {
  const at::Tensor w = weights(2), twin = w.detach();
  for (int i = 0; i < 2; ++i) expect_scaled(w, 2);
  write_uncounted(w, 5);
  for (int i = 0; i < 2; ++i) expect_scaled(w, 5);
  for (int i = 0; i < 2; ++i) expect_scaled(twin, 5);
  step_of_sgd(w);
  for (int i = 0; i < 2; ++i) expect_scaled(twin, w.item<float>());
}

class FusedOptimizers : public ConstantWeights, public testing::WithParamInterface<Step> {};

// Alternates between training steps and validation, as training programs do. During the validation
// autograd is off.
TEST_P(FusedOptimizers, WeightsThatNeedAGradientAreNotPacked) {
  const at::Tensor w = weights(2).requires_grad_(), kept = w.detach();
  for (int epoch = 0; epoch < 3; ++epoch) {
    at::conv1d(x_, w).sum().backward();
    const at::NoGradGuard validation;
    GetParam()(w);
    for (int i = 0; i < 3; ++i) expect_scaled(w, w.item<float>());
    for (int i = 0; i < 3; ++i) expect_scaled(kept, w.item<float>());
  }
  EXPECT_EQ(times_packed(), 0);
}

// If weights have needed a gradient before, an optimizer may later write them again without
// changing their version counter, for example if two networks are trained in turn. So the bridge
// packs such weights only after the program has called atc_torch_forget_weights.
TEST_P(FusedOptimizers, WeightsThatNeededAGradientAreNotPackedUntilTheOwnerSaysSo) {
  const at::Tensor w = weights(2);
  for (int i = 0; i < 2; ++i) expect_scaled(w, 2);
  ASSERT_EQ(times_packed(), 1);
  w.requires_grad_();
  at::conv1d(x_, w).sum().backward();
  w.requires_grad_(false);
  for (int i = 0; i < 3; ++i) {
    GetParam()(w);
    expect_scaled(w, w.item<float>());
  }
  EXPECT_EQ(times_packed(), 1);
  ASSERT_DONE(atc_torch_forget_weights());
  for (int i = 0; i < 3; ++i) expect_scaled(w, w.item<float>());
  EXPECT_EQ(times_packed(), 2);
}

constexpr const char* kNamesOfSteps[] = {"Adam", "AdamW", "SGD", "Adagrad"};

INSTANTIATE_TEST_SUITE_P(Of, FusedOptimizers,
                         testing::Values(step_of_adam, step_of_adamw, step_of_sgd, step_of_adagrad),
                         [](const auto& info) { return kNamesOfSteps[info.index]; });

// LibTorch refuses to swap tensors (torch.utils.swap_tensors) that have weak references, so the
// bridge must not keep weak references to packed weights.
TEST_F(ConstantWeights, ThatArePackedMayBeSwapped) {
  at::Tensor w = weights(2), other = weights(3);
  for (int i = 0; i < 2; ++i) expect_scaled(w, 2);
  for (int i = 0; i < 2; ++i) expect_scaled(other, 3);
  ASSERT_EQ(times_packed(), 2);
  EXPECT_EQ(w.weak_use_count(), 1u);
  EXPECT_EQ(other.weak_use_count(), 1u);
  std::swap(w, other);
  expect_scaled(w, 3);
  expect_scaled(other, 2);
  EXPECT_EQ(times_packed(), 2);
}

TEST_F(ConstantWeights, MadeAnewForEachCallAreNotPacked) {
  for (int i = 1; i <= 5; ++i) expect_scaled(weights(static_cast<float>(i)), static_cast<float>(i));
  EXPECT_EQ(times_packed(), 0);
  EXPECT_EQ(counted().taken, 5u);
}

TEST_F(ConstantWeights, ThatAreGoneAreLetGoOf) {
  {
    const at::Tensor w = weights(2);
    expect_scaled(w, 2);
    expect_scaled(w, 2);
    EXPECT_EQ(engine_.holding(), 1);
  }
  expect_scaled(weights(3), 3);
  EXPECT_EQ(engine_.holding(), 0);
}

TEST_F(ConstantWeights, ThatCountNoVersionsAreNotPacked) {
  // Makes records without the option constant_weights.
  records_.use(ATC_STORE_READ_WRITE);
  install(true);
  at::conv1d(x_, weights(1));
  ASSERT_GT(records_.prefer(ScalingEngine::kName), 0u);
  records_.use(ATC_STORE_READ);
  install_with_constant_weights(false);
  ASSERT_DONE(atc_torch_statistics_reset());
  const int before = engine_.times_packed();

  const c10::InferenceMode inference;
  const at::Tensor w = weights(2);
  for (int i = 0; i < 3; ++i) expect_scaled(w, 2);
  w.fill_(3);
  expect_scaled(w, 3);
  EXPECT_EQ(engine_.times_packed(), before);
  EXPECT_EQ(counted().taken, 4u);
}

// Autograd is off while atc's own function computes the forward pass. The function must
// nevertheless not pack weights that are trained.
TEST_F(ConstantWeights, ThatAreTrainedAreNotPackedByAtcsFunction) {
  records_.use(ATC_STORE_READ_WRITE);
  const auto scaled = [](const at::Tensor& x, const at::Tensor& w, bool tune) {
    atc_torch_geometry geometry{};
    EXPECT_DONE(atc_torch_geometry_init(&geometry, 1));
    atc_torch_options options{};
    options.struct_size = sizeof(options);
    options.constant_weights = ATC_ON;
    options.tune = tune ? ATC_ON : ATC_OFF;
    options.budget_seconds = 60;
    atc_torch_tensor* made = nullptr;
    EXPECT_DONE(atc_torch_convolution(&made, reinterpret_cast<const atc_torch_tensor*>(&x),
                                      reinterpret_cast<const atc_torch_tensor*>(&w), nullptr,
                                      &geometry, &options));
    const std::unique_ptr<at::Tensor> owner(reinterpret_cast<at::Tensor*>(made));
    return *owner;
  };
  const at::Tensor x = x_.clone().requires_grad_(), w = weights(2).requires_grad_();
  scaled(x, w, true);
  records_.prefer(ScalingEngine::kName);
  records_.use(ATC_STORE_READ);
  ASSERT_DONE(atc_torch_statistics_reset());
  const int before = engine_.times_packed();
  const at::Tensor ones = at::ones_like(x_).requires_grad_();
  for (const float value : {3.0F, 4.0F, 5.0F}) {
    write_uncounted(w, value);
    const at::Tensor y = scaled(x, w, false);
    EXPECT_TRUE(at::equal(y.detach(), x_.mul(value))) << value;
    // Differentiates twice: the gradient of x is differentiated by the gradient of y. The result is
    // the convolution again, with x_ in place of x.
    const auto first = torch::autograd::grad({y}, {x}, {ones}, true, true);
    const auto second = torch::autograd::grad(first, {ones}, {x_});
    EXPECT_TRUE(at::equal(second[0], x_.mul(value))) << value;
  }
  EXPECT_EQ(engine_.times_packed(), before);
  EXPECT_GE(counted().taken, 6u);
  // Weights that need no gradient must be packed.
  const at::Tensor constant = weights(2);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(at::equal(scaled(x_, constant, false), x_.mul(2)));
  EXPECT_EQ(engine_.times_packed(), before + 1);
}

TEST_F(ConstantWeights, AMissIsCountedApartFromWhatWasChosen) {
  const auto w = weights(2);
  records_.use(ATC_STORE_READ_WRITE);
  ASSERT_GT(records_.prefer("aten"), 0u);
  records_.use(ATC_STORE_READ);
  at::conv1d(x_, w);
  EXPECT_EQ(counted().passed[ATC_TORCH_PASSED_CHOSEN], 1u);
  EXPECT_EQ(counted().passed[ATC_TORCH_PASSED_NOT_RECORDED], 0u);
  const Records empty;
  at::conv1d(x_, w);
  EXPECT_EQ(counted().passed[ATC_TORCH_PASSED_CHOSEN], 1u);
  EXPECT_EQ(counted().passed[ATC_TORCH_PASSED_NOT_RECORDED], 1u);
}

// Tests decisions for packed weights. If the weights change, the bridge must decide anew.
class Deciding : public ConstantWeights {
 protected:
  void SetUp() override {
    ConstantWeights::SetUp();
    for (int i = 0; i < 3; ++i) expect_scaled(w_, 2);
    ASSERT_EQ(times_packed(), 1);
    ASSERT_DONE(atc_torch_statistics_reset());
  }
  // Runs a convolution, and returns who computed it: "atc", "LibTorch" or "neither".
  std::string ran() {
    const std::uint64_t taken = counted().taken;
    const std::uint64_t missed = counted().passed[ATC_TORCH_PASSED_NOT_RECORDED];
    expect_scaled(w_, 2);
    if (counted().taken == taken + 1) return "atc";
    return counted().passed[ATC_TORCH_PASSED_NOT_RECORDED] == missed + 1 ? "LibTorch" : "neither";
  }

  const at::Tensor w_ = weights(2);
};

TEST_F(Deciding, WhenAnotherStoreIsInUse) {
  EXPECT_EQ(ran(), "atc");
  {
    const Records empty;
    EXPECT_EQ(ran(), "LibTorch");
  }
  records_.use(ATC_STORE_READ);
  EXPECT_EQ(ran(), "atc");
}

TEST_F(Deciding, WhenTheStoreMayOnlyReplay) {
  const Records empty;
  empty.use(ATC_STORE_REPLAY_ONLY);
  EXPECT_THROW(at::conv1d(x_, w_), c10::Error);
}

TEST_F(Deciding, WhenASwitchIsTurned) {
  ASSERT_DONE(atc_set_deterministic_cudnn(1));
  EXPECT_EQ(ran(), "LibTorch");
  ASSERT_DONE(atc_set_deterministic_cudnn(0));
  EXPECT_EQ(ran(), "atc");
}

TEST_F(Deciding, WhenThereAreMoreThreads) {
  const int before = at::get_num_threads();
  at::set_num_threads(before + 1);
  EXPECT_EQ(ran(), "LibTorch");
  at::set_num_threads(before);
  EXPECT_EQ(ran(), "atc");
}

TEST_F(Deciding, LetsAnEngineGoWhenTheWeightsAreForgotten) {
  EXPECT_EQ(atc_engine_unregister(ScalingEngine::kName), ATC_ERROR_BUSY);
  ASSERT_DONE(atc_torch_forget_weights());
  EXPECT_DONE(atc_engine_unregister(ScalingEngine::kName));
  expect_scaled(w_, 2);
}

}  // namespace
