// Tests the device layer (src/device) on a CUDA device. The results of its kernels are compared
// with those of the same functions on the host. Its time measurements are tested with work that
// takes a known time.
#include <gmock/gmock.h>

#include <chrono>
#include <cstring>
#include <optional>

#include "core/fill.hpp"
#include "core/format.hpp"
#include "core/guarded_buffer.hpp"
#include "cuda_test.hpp"
#include "device/cuda/cuda_device.hpp"
#include "device/cuda/driver_probe.hpp"
#include "device/cuda/guarded_memory.hpp"
#include "device/cuda/kernels.hpp"
#include "device/cuda/nvml.hpp"
#include "support/problems.hpp"

namespace atc {
namespace {

using test::CudaTest;
using test::OnDevice;

std::vector<Tensor> tensors() {
  std::vector<Tensor> tensors;
  for (const Dtype dtype : {Dtype::f32, Dtype::bf16, Dtype::f16})
    for (const auto memory : {test::Memory::first, test::Memory::last, test::Memory::strided})
      for (int rank = 3; rank <= 5; ++rank)
        tensors.push_back(test::make_tensor(dtype, rank, {3, 17, 5, 9, 7}, memory));
  return tensors;
}

using DeviceLayer = CudaTest;

TEST_F(DeviceLayer, FillsAsTheHostDoesBitForBit) {
  for (const Tensor& tensor : tensors())
    for (const bool integers : {false, true}) {
      std::vector<unsigned char> host(tensor.span_bytes(), 0x5a), device(host.size());
      const OnDevice copy(host.data(), host.size());
      integers ? fill_ternary(tensor, host.data(), 7) : fill_normal(tensor, host.data(), 7);
      work().fill(tensor, copy.data(), integers ? cuda::kFillTernary : cuda::kFillNormal, 7);
      copy.read(device.data());
      EXPECT_EQ(std::memcmp(host.data(), device.data(), host.size()), 0)
          << name_of(tensor.dtype) << " rank " << tensor.rank;
    }
}

TEST_F(DeviceLayer, FingerprintsDifferWhereABitDoesOrAPlace) {
  std::vector<std::uint16_t> words(100001);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = static_cast<std::uint16_t>(i * 7);
  const auto fingerprint = [&] {
    const OnDevice copy(words.data(), words.size() * 2);
    return work().fingerprint(copy.data(), words.size() * 2);
  };
  const std::uint64_t before = fingerprint();
  EXPECT_EQ(fingerprint(), before);
  words.back() ^= 0x8000;
  EXPECT_NE(fingerprint(), before);
  words.back() ^= 0x8000;
  std::swap(words[3], words[77777]);
  EXPECT_NE(fingerprint(), before);
}

TEST_F(DeviceLayer, GuardedMemoryNamesWhatIsWrong) {
  for (const Tensor& tensor : tensors()) {
    cuda::GuardedMemory guarded(tensor, work(), kDevice, nullptr);
    std::vector<unsigned char> good(tensor.span_bytes());
    fill_normal(tensor, good.data(), 3);
    const OnDevice source(good.data(), good.size());
    guarded.copy_from(source.data());
    EXPECT_EQ(guarded.trouble(), "");

    EXPECT_THAT(guarded.trouble(), testing::HasSubstr("element 0 of the output was never written"));

    const std::uint16_t infinite = tensor.dtype == Dtype::f16 ? 0x7c00 : 0x7f80;
    const std::uint32_t word = tensor.dtype == Dtype::f32 ? 0x7f800000u : infinite;
    guarded.copy_from(source.data());
    cuda::copy_to_device(guarded.data(), &word, size_of(tensor.dtype), nullptr);
    EXPECT_THAT(guarded.trouble(), testing::HasSubstr("element 0 of the output is not finite"));

    const std::int64_t number = tensor.elements() * 2 / 3;
    const std::int64_t offset = tensor.offset_of(tensor.index_of(number));
    const std::size_t size = size_of(tensor.dtype);
    guarded.copy_from(source.data());
    cuda::copy_to_device(static_cast<char*>(guarded.data()) + offset * size, &word, size, nullptr);
    EXPECT_EQ(guarded.trouble(), atc::format("element {} of the output is not finite", number));

    guarded.copy_from(source.data());
    cuda::copy_to_device(static_cast<char*>(guarded.data()) - 2, &word, 2, nullptr);
    EXPECT_EQ(guarded.trouble(), "wrote 2 bytes before the start of the output");

    guarded.copy_from(source.data());
    cuda::copy_to_device(static_cast<char*>(guarded.data()) + tensor.span_bytes(), &word, 2,
                         nullptr);
    EXPECT_EQ(guarded.trouble(), "wrote 0 bytes after the end of the output");
  }
}

TEST_F(DeviceLayer, IsWatchedWhereThereIsNvml) {
  if (!cuda::nvml().trouble.empty()) GTEST_SKIP() << cuda::nvml().trouble;
  const Conditions conditions = cuda::Monitor(kDevice.index).conditions();
  EXPECT_NE(conditions.driver, "");
  if (!conditions.clock_hz) GTEST_SKIP() << "NVML is forbidden here";
  EXPECT_GT(*conditions.clock_hz, 100e6);
  EXPECT_LT(*conditions.clock_hz, 4e9);
}

// Work that keeps the device busy for a given time.
class Delay final : public Runnable {
 public:
  Delay(cuda::Context context, Stream stream, double seconds)
      : function_(cuda::kernel(context, cuda::kTimingKernels, "atc_delay")),
        stream_(stream),
        nanoseconds_(static_cast<unsigned long long>(seconds * 1e9)) {}
  void run(std::size_t) override {
    cuda::launch(function_, 1, 1, stream_, nanoseconds_, 1000000000000ll);
  }

 private:
  cuda::Function function_;
  Stream stream_;
  unsigned long long nanoseconds_;
};

TEST_F(DeviceLayer, TimesWhatTheDeviceDoesAndNotWhatTheHostDoes) {
  const cuda::OwnStream stream;
  cuda::CudaDevice device(kDevice, context(), stream, cuda::driver().devices[0].multiprocessors);
  // The bounds of the measured time are so wide because the device's timer has a resolution of up
  // to a microsecond.
  for (const double seconds : {20e-6, 100e-6, 1e-3}) {
    Delay delay(context(), stream, seconds);
    const BatchTime time = device.time_batch(delay, 1, 20);
    EXPECT_GT(time.seconds_per_call, seconds * 0.99 - 1e-6);
    EXPECT_LT(time.seconds_per_call, seconds * 1.05 + 3e-6);
    ASSERT_TRUE(time.clock_hz);
    EXPECT_GT(*time.clock_hz, 100e6);
    EXPECT_LT(*time.clock_hz, 4e9);
  }
}

// Keeps every multiprocessor busy for a given time, on the given stream.
void occupy(cuda::Context context, Stream stream, unsigned blocks, double seconds) {
  cuda::launch(cuda::kernel(context, cuda::kTimingKernels, "atc_delay"), blocks, 256, stream,
               static_cast<unsigned long long>(seconds * 1e9), 1000000000000ll);
}

TEST_F(DeviceLayer, TellsWhenItIsNotAlone) {
  const int multiprocessors = cuda::driver().devices[0].multiprocessors;
  const unsigned filling = 8 * static_cast<unsigned>(multiprocessors);
  const cuda::OwnStream stream, other;
  cuda::CudaDevice device(kDevice, context(), stream, multiprocessors);
  Delay delay(context(), stream, 200e-6);
  int alone = 0;
  constexpr int kBatches = 200;
  for (int i = 0; i < kBatches; ++i) alone += !device.time_batch(delay, 1, 1).shared;
  EXPECT_EQ(alone, kBatches);

  // A batch is several calls that are timed together. If the other work ends soon, the batch waits
  // for its end, and the time of the batch is not marked as shared with other work.
  occupy(context(), other, filling, 20e-3);
  EXPECT_FALSE(device.time_batch(delay, 1, 1).shared);
  cuda::synchronize(other);
  // If the other work takes long, the batch must be marked as shared with other work. Each kernel
  // of the other work takes only 2 ms, so that the batch can run between two of them.
  for (int i = 0; i < 200; ++i) occupy(context(), other, filling, 2e-3);
  EXPECT_TRUE(device.time_batch(delay, 1, 1).shared);
  cuda::synchronize(other);
  EXPECT_FALSE(device.time_batch(delay, 1, 1).shared);
}

// Work that launches several kernels of 5 us. After the launches the host waits for `pause`
// seconds.
class Paused final : public Runnable {
 public:
  Paused(cuda::Context context, Stream stream, int launches, double pause)
      : delay_(context, stream, 5e-6), launches_(launches), pause_(pause) {}
  void run(std::size_t set) override {
    for (int i = 0; i < launches_; ++i) delay_.run(set);
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(pause_);
    while (std::chrono::steady_clock::now() < end) {
    }
  }

 private:
  Delay delay_;
  int launches_;
  double pause_;
};

TEST_F(DeviceLayer, CountsLaunchesAndTimesThemInAGraphWithoutTheHost) {
  const cuda::OwnStream stream;
  cuda::CudaDevice device(kDevice, context(), stream, cuda::driver().devices[0].multiprocessors);
  Paused paused(context(), stream, 8, 30e-3);
  EXPECT_EQ(device.launches(paused), 8u);
  // The device layer delays a batch on the device until the host has queued all of its calls. The
  // host's pause is longer than the longest such delay. So the device runs out of work during the
  // pause.
  const BatchTime queued = device.time_batch(paused, 1, 3);
  EXPECT_GE(queued.host_seconds, 30e-3);
  const std::optional<BatchTime> graph = device.time_graph(paused, 1, 3);
  ASSERT_TRUE(graph);
  EXPECT_GT(graph->seconds_per_call, 8 * 4e-6);
  EXPECT_LT(graph->seconds_per_call, 8 * 10e-6);
  EXPECT_LT(graph->host_seconds, 1e-3);
  // time_graph() captures the work into a graph. Afterwards the stream must not be captured any
  // more.
  EXPECT_FALSE(cuda::is_capturing(stream));
  cuda::synchronize(stream);
}

// Work that waits for the device. While a stream is captured, CUDA forbids this.
class Waiting final : public Runnable {
 public:
  explicit Waiting(Stream stream) : stream_(stream) {}
  void run(std::size_t) override { cuda::synchronize(stream_); }

 private:
  Stream stream_;
};

TEST_F(DeviceLayer, WhatCannotBeCapturedIsTold) {
  const cuda::OwnStream stream;
  cuda::CudaDevice device(kDevice, context(), stream, cuda::driver().devices[0].multiprocessors);
  Waiting waiting(stream);
  EXPECT_EQ(device.launches(waiting), 0u);
  EXPECT_FALSE(device.time_graph(waiting, 1, 2));
  EXPECT_FALSE(cuda::is_capturing(stream));
  EXPECT_NO_THROW(device.time_batch(waiting, 1, 1));
}

}  // namespace
}  // namespace atc
