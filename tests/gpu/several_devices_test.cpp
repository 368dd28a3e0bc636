// Tests several devices in one process. The tests are skipped if there is only one device.
#include <gmock/gmock.h>

#include <string>
#include <thread>
#include <vector>

#include "atc/atc.h"
#include "device/cuda/driver_probe.hpp"
#include "layer.hpp"

namespace atc {
namespace {

#define OK(call) ASSERT_EQ(call, ATC_OK) << atc_last_error()

constexpr int kDevices[] = {0, 1};

class SeveralDevices : public test::CudaTest {
 protected:
  void SetUp() override {
    CudaTest::SetUp();
    if (IsSkipped()) return;
    if (cuda::driver().devices.size() < 2) GTEST_SKIP() << "there is but one CUDA device";
    OK(atc_set_benchmark_cudnn(0));
    OK(atc_cache_clear());
  }
  void TearDown() override { atc_set_benchmark_cudnn(0); }
};

TEST_F(SeveralDevices, EachIsRightWhicheverIsCurrent) {
  for (const int current : kDevices)
    for (const int device : kDevices) {
      const cuda::ContextScope scope(current);
      test::Layer layer(test::same_3x3(), device);
      OK(layer.run());
      cuda::Context after = nullptr;
      ASSERT_EQ(cuda::require_driver().context_current(&after), 0);
      EXPECT_EQ(after, scope.context()) << "the caller's context is no longer current";
      layer.expect_right();
    }
}

// If one device has measured a layer, another device of the same model must use the decision.
TEST_F(SeveralDevices, WhatOneHasMeasuredTheOtherOfItsKindUses) {
  if (cuda::driver().devices[0].name != cuda::driver().devices[1].name)
    GTEST_SKIP() << "the first two devices are of different kinds";
  OK(atc_set_benchmark_cudnn(1));
  test::Layer first(test::same_3x3(), 0), second(test::same_3x3(), 1);
  const auto tuned = first.decided(), used = second.decided();
  EXPECT_EQ(tuned.source, ATC_SOURCE_TUNED);
  EXPECT_EQ(used.source, ATC_SOURCE_MEMORY);
  EXPECT_EQ(used.choice, tuned.choice);
  OK(second.run());
  second.expect_right();
}

TEST_F(SeveralDevices, EachTunes) {
  for (const int device : kDevices) {
    OK(atc_cache_clear());
    OK(atc_set_benchmark_cudnn(1));
    // Devices of the same model share decisions, and the tests of this file run in one process. So
    // each device gets a layer of a size that no other test uses, for which there is no decision
    // yet.
    test::Layer layer(test::same_3x3(32, 29 + device), device);
    EXPECT_EQ(layer.decided().source, ATC_SOURCE_TUNED);
    OK(layer.run());
    layer.expect_right();
  }
}

TEST_F(SeveralDevices, APlanTakesNoOperandsOfAnother) {
  test::Layer here(test::same_3x3(), 0), there(test::same_3x3(), 1);
  atc_conv_plan* plan = nullptr;
  OK(atc_conv_plan_create(&plan, there.device(), &there.problem(), nullptr));
  EXPECT_EQ(here.run(plan), ATC_ERROR_INVALID_ARGUMENT);
  EXPECT_THAT(atc_last_error(), testing::HasSubstr("cuda:1"));
  OK(there.run(plan));
  there.expect_right();
  atc_conv_plan_destroy(plan);
}

TEST_F(SeveralDevices, ConvolveAtTheSameTime) {
  std::vector<std::thread> threads;
  for (const int device : kDevices)
    threads.emplace_back([device] {
      const cuda::ContextScope scope(device);
      test::Layer layer(test::same_3x3(), device);
      const cuda::OwnStream stream;
      for (int i = 0; i < 200; ++i) ASSERT_EQ(layer.run(stream), ATC_OK) << atc_last_error();
      cuda::synchronize(stream);
      layer.expect_right();
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace atc
