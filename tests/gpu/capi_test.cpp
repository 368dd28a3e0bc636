// Tests the C interface on a CUDA device: eager calls, toggles, plans, captures, threads.
#include "atc/atc.h"

#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include "cuda_test.hpp"
#include "layer.hpp"
#include "support/streams.hpp"

namespace atc {
namespace {

#define OK(call) ASSERT_EQ(call, ATC_OK) << atc_last_error()

class Layer : public test::Layer {
 public:
  explicit Layer(std::int64_t channels = 32, std::int64_t side = 28)
      : test::Layer(test::same_3x3(channels, side)) {}
};

class CudaApi : public test::CudaTest {
 protected:
  void SetUp() override {
    CudaTest::SetUp();
    if (IsSkipped()) return;
    OK(atc_set_benchmark_cudnn(0));
    OK(atc_cache_clear());
  }

  std::uint64_t put_off() {
    atc_cache_statistics statistics{};
    statistics.struct_size = sizeof(statistics);
    EXPECT_EQ(atc_cache_stats(&statistics), ATC_OK);
    return statistics.put_off;
  }
};

// An engine's samples are computed values of output elements. Host and device compute the sums in
// double, so their samples differ at most by a rounding to fp32. The magnitude of each sum is below
// 32 * 9 * 3.5 * 3.5, because each operand is below 3.5.
TEST_F(CudaApi, ASampleIsThatOfTheCpu) {
  const Layer layer;
  constexpr std::size_t kCount = 1000;
  std::vector<double> samples[2];
  for (const std::int32_t type : {ATC_DEVICE_CPU, ATC_DEVICE_CUDA}) {
    atc_conv_plan* plan = nullptr;
    OK(atc_conv_plan_create_with_choice(&plan, {type, 0}, &layer.problem(), nullptr,
                                        "reference@1:direct"));
    std::vector<double>& values = samples[type == ATC_DEVICE_CUDA ? 1 : 0];
    values.resize(kCount);
    EXPECT_EQ(atc_conv_plan_sample(values.data(), kCount, plan, 5), ATC_OK) << atc_last_error();
    atc_conv_plan_destroy(plan);
  }
  for (std::size_t i = 0; i < kCount; ++i)
    ASSERT_NEAR(samples[0][i], samples[1][i], std::ldexp(32 * 9 * 3.5 * 3.5, -23)) << i;
}

TEST_F(CudaApi, SaysWhatThereIs) {
  std::int32_t available = 0, count = 0;
  std::int64_t version = 0;
  OK(atc_cuda_is_available(&available));
  EXPECT_EQ(available, 1);
  OK(atc_cuda_device_count(&count));
  EXPECT_GE(count, 1);
  OK(atc_cudnn_is_available(&available));
  EXPECT_EQ(available, 1);
  OK(atc_cudnn_version(&version));
  EXPECT_GE(version, 90200);
  OK(atc_synchronize(0));
  OK(atc_synchronize(-1));
  EXPECT_EQ(atc_synchronize(count), ATC_ERROR_INVALID_ARGUMENT);
}

// The new thread has no current CUDA context, as in most programs that do not use CUDA's runtime.
TEST_F(CudaApi, TunesInAThreadWithoutAContext) {
  Layer layer(20);
  std::thread([&] {
    atc_tune_report* report = nullptr;
    EXPECT_EQ(
        atc_tune(&report, {ATC_DEVICE_CUDA, 0}, &layer.problem(), 1, nullptr, nullptr, nullptr),
        ATC_OK);
    atc_tuned_problem tuned{};
    tuned.struct_size = sizeof(tuned);
    EXPECT_EQ(atc_tune_report_problem(&tuned, report, 0), ATC_OK);
    EXPECT_EQ(tuned.status, ATC_OK) << tuned.why;
    EXPECT_EQ(layer.run(), ATC_OK);
    atc_tune_report_destroy(report);
  }).join();
  layer.expect_right();
}

TEST_F(CudaApi, AnEagerCallIsRightOnTheLegacyStreamAndOnAnother) {
  Layer layer;
  OK(layer.run());
  layer.expect_right();
  layer.unwrite();
  const cuda::OwnStream stream;
  atc_synchronize(0);
  OK(layer.run(stream));
  layer.expect_right();
}

TEST_F(CudaApi, BenchmarkTakesEffectAtOnceBothWaysForAShapeSeenBefore) {
  Layer layer;
  EXPECT_EQ(layer.decided().source, ATC_SOURCE_DEFAULT);
  OK(atc_set_benchmark_cudnn(1));
  EXPECT_EQ(layer.decided().source, ATC_SOURCE_TUNED);
  EXPECT_EQ(layer.decided().source, ATC_SOURCE_MEMORY);
  OK(layer.run());
  layer.expect_right();
  std::thread([&] { EXPECT_EQ(layer.decided().source, ATC_SOURCE_MEMORY); }).join();
  OK(atc_set_benchmark_cudnn(0));
  EXPECT_EQ(layer.decided().source, ATC_SOURCE_DEFAULT);
}

TEST_F(CudaApi, ACaptureIsReplayedAfterTheCachesWereCleared) {
  Layer layer;
  const cuda::OwnStream stream;
  test::Capture capture(stream, test::CaptureMode::global);
  OK(layer.run(stream));
  ASSERT_TRUE(capture.end());
  EXPECT_GE(capture.nodes(), 1u);
  OK(atc_cache_clear());
  Layer other(16);  // The operands of this layer may get memory that the cleared caches have freed.
  OK(other.run());
  layer.unwrite();
  atc_synchronize(0);
  ASSERT_TRUE(capture.replay());
  layer.expect_right();
}

TEST_F(CudaApi, InACaptureTheDefaultRunsAndIsCountedAndThePlanToTuneIsRefused) {
  Layer layer(48);
  OK(atc_set_benchmark_cudnn(1));
  const std::uint64_t before = put_off();
  const cuda::OwnStream stream;
  test::Capture capture(stream, test::CaptureMode::global);
  OK(layer.run(stream));
  EXPECT_EQ(put_off(), before + 1);
  ASSERT_TRUE(capture.end());
  ASSERT_TRUE(capture.replay());
  layer.expect_right();
  EXPECT_EQ(layer.decided().source, ATC_SOURCE_TUNED);
  EXPECT_EQ(put_off(), before + 1);
}

TEST_F(CudaApi, TunesWhileAnotherThreadConvolves) {
  Layer mine(24), theirs(40);
  std::thread other([&] {
    const cuda::ContextScope scope(0);
    const cuda::OwnStream stream;
    for (int i = 0; i < 200; ++i) ASSERT_EQ(theirs.run(stream), ATC_OK);
    cuda::synchronize(stream);
  });
  atc_tune_report* report = nullptr;
  EXPECT_EQ(atc_tune(&report, {ATC_DEVICE_CUDA, 0}, &mine.problem(), 1, nullptr, nullptr, nullptr),
            ATC_OK)
      << atc_last_error();
  other.join();
  theirs.expect_right();
  atc_tuned_problem tuned{};
  tuned.struct_size = sizeof(tuned);
  OK(atc_tune_report_problem(&tuned, report, 0));
  EXPECT_EQ(tuned.status, ATC_OK) << tuned.why;
  EXPECT_EQ(tuned.source, ATC_SOURCE_TUNED);
  atc_tune_report_destroy(report);
}

TEST_F(CudaApi, ManyShortThreadsShareFewHandles) {
  Layer layer;
  OK(layer.run());
  for (int i = 0; i < 200; ++i) std::thread([&] { EXPECT_EQ(layer.run(), ATC_OK); }).join();
  layer.expect_right();
}

}  // namespace
}  // namespace atc
