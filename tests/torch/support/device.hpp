// The devices on which tests run. The CPU is always tested, and CUDA is tested if LibTorch has it.
#pragma once

#include <ATen/Context.h>
#include <gtest/gtest.h>

#include "bridge.hpp"

namespace atc_torch_test {

inline constexpr c10::DeviceType kDevices[] = {c10::DeviceType::CPU, c10::DeviceType::CUDA};

inline const char* name_of(c10::DeviceType device) {
  return device == c10::DeviceType::CUDA ? "OnCuda" : "OnCpu";
}

// Loads libtorch_cuda before anything asks LibTorch whether there is CUDA. If LibTorch were asked
// before, it would keep the answer "no". The test programs do not link libtorch_cuda, because they
// are built on machines without this library.
class WithCuda : public testing::Environment {
 public:
  void SetUp() override {
    if (described().cuda != ATC_TORCH_CUDA_NOT_LOADED) return;
    EXPECT_DONE(atc_torch_load_cuda());
  }
};

inline testing::Environment* const kWithCuda = testing::AddGlobalTestEnvironment(new WithCuda);

}  // namespace atc_torch_test

// Skips a test if LibTorch has no such device. Use this macro in the function SetUp of a fixture.
#define ATC_SKIP_WITHOUT(device)                                               \
  if ((device) == c10::DeviceType::CUDA && !at::hasCUDA())                     \
  GTEST_SKIP() << (::atc_torch_test::described().cuda == ATC_TORCH_CUDA_ABSENT \
                       ? "LibTorch is built without CUDA"                      \
                       : "LibTorch sees no CUDA device")
