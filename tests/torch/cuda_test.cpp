// Tests that need CUDA: streams, captures, LibTorch's benchmark switch, and operands on several
// devices. If LibTorch has no CUDA, each test is skipped.
#include <ATen/Functions.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <gtest/gtest.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "atc/settings.h"
#include "support/autocast.hpp"
#include "support/bridge.hpp"
#include "support/derivatives.hpp"
#include "support/device.hpp"
#include "support/outcome.hpp"
#include "support/records.hpp"
#include "support/streams.hpp"

namespace {

using namespace atc_torch_test;
using atc::test::Capture;
using atc::test::CaptureMode;
using atc::test::ForeignStream;

constexpr auto kCuda = c10::DeviceType::CUDA;
const c10::Device kDevice(kCuda, 0);

c10::impl::VirtualGuardImpl cuda() { return c10::impl::VirtualGuardImpl(kCuda); }

c10::Stream stream_of_libtorch() { return cuda().getStreamFromGlobalPool(kDevice); }

// Returns the CUDA driver's handle of LibTorch's stream.
void* native(c10::Stream stream) { return cuda().getStreamNativeHandle(stream); }

void synchronize() { at::detail::getCUDAHooks().deviceSynchronize(0); }

// Installs the bridge without the option `tune`, so that LibTorch's benchmark switch
// (setBenchmarkCuDNN) decides whether calls tune.
void install_by_switch() {
  atc_torch_options options{};
  options.struct_size = sizeof(options);
  options.budget_seconds = budget_on(kCuda);
  EXPECT_DONE(atc_torch_install(&options));
}

// Returns a layer of a usual kind. Tensor cores can compute it with these channels and extents.
Case layer(at::ScalarType dtype, Memory memory, bool depthwise) {
  Case c;
  c.device = kCuda;
  c.dtype = dtype;
  c.batch = 2;
  c.in = c.out = 32;
  c.groups = depthwise ? 32 : 1;
  c.input = {14, 14};
  c.kernel = {3, 3};
  c.stride = c.dilation = c.padding = {1, 1};
  c.output_padding = {0, 0};
  c.bias = true;
  c.x = c.w = c.gradient = memory;
  c.seed = 11;
  return c;
}

class OnCuda : public testing::Test {
 protected:
  void SetUp() override {
    ATC_SKIP_WITHOUT(kCuda);
    ASSERT_DONE(atc_torch_init());
    ASSERT_DONE(atc_set_benchmark_technique(ATC_TECHNIQUE_ONCE));
    ASSERT_DONE(atc_store_use(nullptr));
    ASSERT_DONE(atc_cache_clear());
  }
  void TearDown() override {
    EXPECT_DONE(atc_torch_uninstall());
    at::globalContext().setBenchmarkCuDNN(false);
    at::globalContext().setDeterministicCuDNN(false);
    EXPECT_DONE(atc_store_use(nullptr));
  }
};

TEST_F(OnCuda, LibTorchWorksOnStreamsThatAreNotItsOwn) {
  const at::Tensor x = at::ones({1000}, at::TensorOptions(kDevice));
  synchronize();
  const ForeignStream stream;
  Capture capture(stream.get(), CaptureMode::relaxed);
  const c10::Stream given(
      c10::Stream::UNSAFE, kDevice,
      static_cast<c10::StreamId>(reinterpret_cast<std::intptr_t>(stream.get())));
  EXPECT_EQ(native(given), stream.get());
  const c10::Stream before = cuda().exchangeStream(given);
  x.add_(1);
  EXPECT_EQ(cuda().exchangeStream(before), given);
  ASSERT_TRUE(capture.end());
  EXPECT_EQ(capture.nodes(), 1u) << "the work went elsewhere";
  ASSERT_TRUE(capture.replay());
  EXPECT_TRUE(at::equal(x.cpu(), at::full({1000}, 2.0F)));
}

// Each candidate of a race must be right. One of the candidates is LibTorch's own convolution.
TEST_F(OnCuda, TunedLayersAreRight) {
  const Records records;
  std::size_t layers = 0;
  for (const at::ScalarType dtype : {at::kFloat, at::kHalf, at::kBFloat16})
    for (const Memory memory : {Memory::dense, Memory::channels_last})
      for (const bool depthwise : {false, true}) {
        const Case c = layer(dtype, memory, depthwise);
        const Operands operands = make_operands(c);
        at::globalContext().setBenchmarkCuDNN(false);
        EXPECT_DONE(atc_torch_uninstall());
        const Derivatives plain = derive(c, operands, of_libtorch);
        const Exact exact(c, operands);
        at::globalContext().setBenchmarkCuDNN(true);
        install_by_switch();
        // The first run of the layer measures the candidates. The second run uses the decision.
        for (int run = 0; run < 2; ++run) {
          const Derivatives got = derive(c, operands, of_libtorch);
          for (int i = 0; i < kDerivatives; ++i) {
            const auto at = static_cast<std::size_t>(i);
            EXPECT_EQ(exact.compare(i, got[at]), "") << kNames[i] << " of " << describe(c);
            if (i >= kSecondGradient) continue;
            EXPECT_EQ(compare_layout(got[at], plain[at]), "") << kNames[i] << " of " << describe(c);
          }
        }
        ++layers;
      }
  std::size_t entries = 0, of_aten = 0, chosen = 0;
  for (const auto& entry : nlohmann::json::parse(records.list())) {
    ++entries;
    chosen += entry.at("value").at("choice").at("engine") == "aten" ? 1 : 0;
    for (const auto& candidate : entry.at("value").at("candidates")) {
      if (candidate.at("engine") != "aten") continue;
      const int outcome = candidate.at("outcome").get<int>();
      EXPECT_TRUE(outcome == ATC_OUTCOME_WON || outcome == ATC_OUTCOME_LOST ||
                  outcome == ATC_OUTCOME_DROPPED || outcome == ATC_OUTCOME_TIED)
          << candidate.dump();
      ++of_aten;
    }
  }
  std::cout << entries << " races, aten in " << of_aten << ", its choice " << chosen << "\n";
  EXPECT_GE(entries, 3 * layers);
  EXPECT_EQ(of_aten, entries);
  EXPECT_EQ(counted().passed[ATC_TORCH_PASSED_FAILED], 0u);
}

TEST_F(OnCuda, TheBenchmarkSwitchTakesEffectAtOnce) {
  const Case c = layer(at::kHalf, Memory::channels_last, false);
  const Operands operands = make_operands(c);
  const auto run = [&] { return of_libtorch(c, operands.x, operands.w, operands.bias); };
  const at::Tensor plain = run();
  install_by_switch();
  ASSERT_DONE(atc_torch_statistics_reset());
  for (int round = 1; round <= 3; ++round) {
    at::globalContext().setBenchmarkCuDNN(false);
    EXPECT_TRUE(is_same(run(), plain)) << "round " << round;
    auto counts = counted();
    EXPECT_EQ(counts.passed[ATC_TORCH_PASSED_NOTHING_KNOWN], static_cast<std::uint64_t>(round));
    at::globalContext().setBenchmarkCuDNN(true);
    run();
    counts = counted();
    EXPECT_EQ(counts.taken + counts.passed[ATC_TORCH_PASSED_CHOSEN],
              static_cast<std::uint64_t>(round));
    EXPECT_EQ(passed_in_all(counts) + counts.taken, 2 * static_cast<std::uint64_t>(round));
  }
}

TEST_F(OnCuda, DeterministicResultsRepeat) {
  at::globalContext().setDeterministicCuDNN(true);
  at::globalContext().setBenchmarkCuDNN(true);
  const Records records;
  install_by_switch();
  const Case c = layer(at::kFloat, Memory::dense, false);
  const Operands operands = make_operands(c);
  const Derivatives first = derive(c, operands, of_libtorch);
  for (int run = 0; run < 20; ++run) {
    const Derivatives again = derive(c, operands, of_libtorch);
    for (std::size_t i = 0; i < again.size(); ++i)
      EXPECT_TRUE(is_same(again[i], first[i])) << kNames[i];
  }
  for (const auto& entry : nlohmann::json::parse(records.list()))
    EXPECT_TRUE(entry.at("key").at("problem").at("allowed").at("deterministic").get<bool>());
}

// Queues long work on the stream, then a copy that writes the input, then the convolution. If the
// convolution ran on another stream, it would not wait for the copy, and would read zeros.
std::string convolve_behind_work(const Case& c, const Exact& exact, const Operands& operands) {
  const c10::StreamGuard guard(stream_of_libtorch());
  const at::Tensor work = at::full({3000, 3000}, 1e-4F, at::TensorOptions(kDevice));
  for (int round = 0; round < 20; ++round) {
    const at::Tensor x = at::zeros_like(operands.x), w = operands.w.clone();
    at::Tensor sum = work;
    for (int i = 0; i < 10; ++i) sum = at::mm(sum, work);
    x.copy_(operands.x);
    const at::Tensor y = of_libtorch(c, x, w, operands.bias);
    // compare() copies y to the host on the same stream, and so waits for the convolution.
    const std::string reason = exact.compare(kY, y);
    if (!reason.empty()) return "round " + std::to_string(round) + ": " + reason;
  }
  return "";
}

TEST_F(OnCuda, ThreadsWorkOnTheirOwnStreams) {
  for (const Memory memory : {Memory::dense, Memory::channels_last}) {
    const Case c = layer(at::kHalf, memory, false);
    const Operands operands = make_operands(c);
    const Exact exact(c, operands);
    at::globalContext().setBenchmarkCuDNN(true);
    const Records records;
    install_by_switch();
    of_libtorch(c, operands.x, operands.w, operands.bias);
    // Changes the records so that they choose atc's engine cudnn. Otherwise LibTorch's own
    // convolution could be the winner.
    ASSERT_EQ(records.prefer("cudnn"), 1u);
    records.use(ATC_STORE_READ);
    synchronize();
    ASSERT_DONE(atc_torch_statistics_reset());
    std::string wrong[2];
    std::thread other([&] { wrong[1] = convolve_behind_work(c, exact, operands); });
    wrong[0] = convolve_behind_work(c, exact, operands);
    other.join();
    EXPECT_EQ(wrong[0], "");
    EXPECT_EQ(wrong[1], "");
    EXPECT_EQ(counted().taken, 40u);
  }
}

std::uint64_t put_off() {
  atc_cache_statistics statistics{};
  statistics.struct_size = sizeof(statistics);
  EXPECT_DONE(atc_cache_stats(&statistics));
  return statistics.put_off;
}

TEST_F(OnCuda, CapturedConvolutionsReplay) {
  Case c = layer(at::kHalf, Memory::channels_last, false);
  const Operands operands = make_operands(c), others = make_operands((c.seed = 12, c));
  const c10::Stream stream = stream_of_libtorch();
  const c10::StreamGuard guard(stream);
  const at::Tensor x = operands.x.clone();
  const auto run = [&] { return of_libtorch(c, x, operands.w, operands.bias); };
  at::globalContext().setBenchmarkCuDNN(true);
  const Records records;
  install_by_switch();
  run();
  ASSERT_EQ(records.prefer("cudnn"), 1u);
  records.use(ATC_STORE_READ);
  run();
  ASSERT_DONE(atc_torch_statistics_reset());
  synchronize();
  Capture capture(native(stream), CaptureMode::relaxed);
  const at::Tensor y = run();
  ASSERT_TRUE(capture.end());
  EXPECT_EQ(counted().taken, 1u);
  EXPECT_EQ(capture.memory_nodes(), 0u);
  // The captured graph may only use memory that exists as long as the graph. So clearing atc's
  // cache of plans must not change the graph's results.
  ASSERT_DONE(atc_cache_clear());
  for (const at::Tensor& input : {others.x, operands.x}) {
    x.copy_(input);
    y.zero_();
    ASSERT_TRUE(capture.replay());
    const at::Tensor replayed = y.clone();
    EXPECT_TRUE(is_same(replayed, run()));
  }
}

TEST_F(OnCuda, NothingIsMeasuredInACapture) {
  Case c = layer(at::kHalf, Memory::channels_last, false);
  c.input = {13, 15};  // no other test uses a layer with these extents
  const Operands operands = make_operands(c);
  const c10::Stream stream = stream_of_libtorch();
  const c10::StreamGuard guard(stream);
  // When LibTorch first convolves a shape, it creates objects, which it cannot do while a stream is
  // captured. So the layer runs once before the capture.
  const at::Tensor plain = of_libtorch(c, operands.x, operands.w, operands.bias);
  at::globalContext().setBenchmarkCuDNN(true);
  install_by_switch();
  const std::uint64_t before = put_off();
  ASSERT_DONE(atc_torch_statistics_reset());
  synchronize();
  Capture capture(native(stream), CaptureMode::relaxed);
  const at::Tensor y = of_libtorch(c, operands.x, operands.w, operands.bias);
  ASSERT_TRUE(capture.end());
  EXPECT_EQ(put_off(), before + 1);
  EXPECT_EQ(counted().passed[ATC_TORCH_PASSED_NOT_RECORDED], 1u);
  y.zero_();
  ASSERT_TRUE(capture.replay());
  EXPECT_TRUE(is_same(y, plain));
}

TEST_F(OnCuda, WhatLibTorchRefusesIsRefusedInItsWords) {
  const Case c = layer(at::kFloat, Memory::dense, false);
  const Operands on_device = make_operands(c);
  const at::Tensor none;
  const auto run = [&](const at::Tensor& x, const at::Tensor& w, const at::Tensor& bias,
                       std::vector<std::int64_t> padding) {
    return outcome_of([&]() -> std::vector<at::Tensor> {
      return {at::conv2d(x, w, bias, {1, 1}, padding)};
    });
  };
  const auto all = [&] {
    return std::vector<Outcome>{run(on_device.x, on_device.w.cpu(), none, {1, 1}),
                                run(on_device.x.cpu(), on_device.w, none, {1, 1}),
                                run(on_device.x, on_device.w, on_device.bias.cpu(), {1, 1}),
                                run(on_device.x, on_device.w.to(at::kHalf), none, {1, 1}),
                                run(on_device.x, on_device.w.narrow(1, 0, 3), none, {1, 1}),
                                // With this padding the output needs more memory than any device
                                // has.
                                run(on_device.x, on_device.w, none, {1 << 19, 1 << 19})};
  };
  const auto plain = all();
  at::globalContext().setBenchmarkCuDNN(true);
  install_by_switch();
  const auto got = all();
  for (std::size_t i = 0; i < plain.size(); ++i) {
    EXPECT_NE(plain[i].exception, "") << i;
    EXPECT_EQ(got[i].exception, plain[i].exception) << i << ": " << got[i].text << plain[i].text;
    // The error text about too little memory contains the number of free bytes, which differs
    // between two calls.
    const bool of_memory = i + 1 == plain.size();
    EXPECT_TRUE(of_memory || got[i].text == plain[i].text) << got[i].text << plain[i].text;
  }
}

TEST_F(OnCuda, OtherDtypesAreLibTorchsOwn) {
  const Case c = layer(at::kDouble, Memory::dense, false);
  const Operands operands = make_operands(c);
  const at::Tensor plain = of_libtorch(c, operands.x, operands.w, operands.bias);
  const Records records;
  install(true, kCuda);
  ASSERT_DONE(atc_torch_statistics_reset());
  EXPECT_TRUE(is_same(of_libtorch(c, operands.x, operands.w, operands.bias), plain));
  EXPECT_EQ(counted().passed[ATC_TORCH_PASSED_DTYPE], 1u);
}

TEST_F(OnCuda, AutocastConvolvesInItsDtype) {
  const AutocastLayer half(layer(at::kHalf, Memory::dense, false));
  const Derivatives plain = half.run();
  ASSERT_EQ(plain[kY].scalar_type(), at::kHalf);
  const Records records;
  install(true, kCuda);
  half.run();
  ASSERT_GT(records.prefer("cudnn"), 0u);
  records.use(ATC_STORE_READ);
  ASSERT_DONE(atc_torch_statistics_reset());
  const Derivatives got = half.run();
  EXPECT_GT(counted().taken, 0u);
  half.expect_right(got, plain);
}

}  // namespace
