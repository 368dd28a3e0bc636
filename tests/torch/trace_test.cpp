// Tests that a trace (a count of the calls of each problem) contains the convolutions that atc
// runs, and also those that the bridge leaves to LibTorch.
#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <torch/csrc/autograd/autograd.h>

#include <map>
#include <string>

#include "atc/trace.h"
#include "support/bridge.hpp"

namespace {

using namespace atc_torch_test;

at::Tensor numbers(at::IntArrayRef shape) {
  return at::arange(c10::multiply_integers(shape), at::kFloat).mul_(0.37).sin_().reshape(shape);
}

// Stops the trace. Returns the number of calls in each row of the kind ATC_TRACE_ROW_PROBLEM; the
// key is the text "problem: choice".
std::map<std::string, std::uint64_t> stop() {
  atc_trace* trace = nullptr;
  EXPECT_DONE(atc_trace_stop(&trace));
  std::size_t count = 0;
  EXPECT_DONE(atc_trace_row_count(&count, trace));
  std::map<std::string, std::uint64_t> calls;
  for (std::size_t i = 0; i < count; ++i) {
    atc_trace_row row = ATC_TRACE_ROW_INIT;
    EXPECT_DONE(atc_trace_row_get(&row, trace, i));
    if (row.kind == ATC_TRACE_ROW_PROBLEM)
      calls[std::string(row.problem) + ": " + row.choice] = row.calls;
  }
  atc_trace_destroy(trace);
  return calls;
}

class TorchTrace : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_DONE(atc_torch_init());
    ASSERT_DONE(atc_set_benchmark_technique(ATC_TECHNIQUE_ONCE));
  }
  void TearDown() override { EXPECT_DONE(atc_torch_uninstall()); }
};

constexpr const char* kForward =
    "forward x=2x4x7x7 f32 w=6x4x3x3 f32 y=2x6x5x5 f32 stride 1x1 pad 0x0";

TEST_F(TorchTrace, HasWhatIsLeftToLibTorch) {
  const at::Tensor x = numbers({2, 4, 7, 7}), w = numbers({6, 4, 3, 3}), b = numbers({6});
  install(false);
  at::conv2d(x, w);  // this call is made before the trace starts, so the trace does not count it
  ASSERT_DONE(atc_trace_start(nullptr));
  for (int i = 0; i < 3; ++i) at::conv2d(x, w);
  at::conv2d(x, w, b);
  at::conv2d(x.to(at::kDouble), w.to(at::kDouble));
  const auto last = [](const at::Tensor& t) {
    return t.contiguous(at::MemoryFormat::ChannelsLast);
  };
  at::conv2d(last(x), last(w));
  const std::string forward = kForward;
  EXPECT_THAT(
      stop(),
      testing::ElementsAre(
          testing::Pair("forward x=2x4x7x7 f32 channels-last w=6x4x3x3 f32 channels-last "
                        "y=2x6x5x5 f32 channels-last stride 1x1 pad 0x0: libtorch",
                        1),
          testing::Pair(forward + " +bias: libtorch", 1), testing::Pair(forward + ": libtorch", 3),
          testing::Pair("not described: libtorch", 1)));
}

TEST_F(TorchTrace, HasGradients) {
  install(false);
  ASSERT_DONE(atc_trace_start(nullptr));
  const at::Tensor x = numbers({2, 4, 7, 7}).requires_grad_(),
                   w = numbers({6, 4, 3, 3}).requires_grad_();
  const at::Tensor y = at::conv2d(x, w);
  torch::autograd::grad({y}, {x, w}, {at::ones_like(y)}, true);
  torch::autograd::grad({y}, {w}, {at::ones_like(y)});
  const auto calls = stop();
  const auto of = [&](const std::string& direction, const std::string& choice) {
    std::uint64_t sum = 0;
    for (const auto& [row, count] : calls)
      if (row.rfind(direction + " ", 0) == 0 && row.size() > choice.size() &&
          row.substr(row.size() - choice.size() - 2) == ": " + choice)
        sum += count;
    return sum;
  };
  EXPECT_EQ(of("forward", "libtorch"), 1u);
  EXPECT_EQ(of("backward-data", "libtorch (both gradients)"), 1u);
  EXPECT_EQ(of("backward-weight", "libtorch (both gradients)"), 1u);
  EXPECT_EQ(of("backward-weight", "libtorch"), 1u);
  EXPECT_EQ(of("backward-data", "libtorch"), 0u);
}

// A convolution is counted once, whether atc or LibTorch runs it. Only the first call runs both in
// LibTorch and in atc, because the bridge learns the memory layout of the output from LibTorch's
// result.
TEST_F(TorchTrace, HasWhatAtcRuns) {
  const at::Tensor x = numbers({2, 4, 7, 7}), w = numbers({6, 4, 3, 3});
  install(true);
  at::conv2d(x, w);
  EXPECT_DONE(atc_torch_statistics_reset());
  ASSERT_DONE(atc_trace_start(nullptr));
  for (int i = 0; i < 5; ++i) at::conv2d(x, w);
  const auto calls = stop();
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls.begin()->second, 5u);
  EXPECT_THAT(calls.begin()->first, testing::StartsWith(kForward));
  const bool by_libtorch = calls.begin()->first == std::string(kForward) + ": libtorch";
  EXPECT_EQ(counted().taken, by_libtorch ? 0u : 5u);
}

TEST_F(TorchTrace, LeavesExceptionsAndLastErrorsAlone) {
  const at::Tensor x = numbers({2, 4, 7, 7}), w = numbers({6, 4, 9, 9});
  EXPECT_EQ(atc_set_benchmark_limit_cudnn(-1), ATC_ERROR_INVALID_ARGUMENT);
  const std::string before = atc_last_error();
  install(false);
  ASSERT_DONE(atc_trace_start(nullptr));
  EXPECT_THROW(at::conv2d(x, w), c10::Error);
  EXPECT_EQ(atc_last_error(), before);
  stop();
}

}  // namespace
