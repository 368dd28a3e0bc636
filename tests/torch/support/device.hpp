// The devices on which tests run: always the CPU, and CUDA if LibTorch has it.
#pragma once

#include <ATen/Context.h>
#include <gtest/gtest.h>

#include "bridge.hpp"

namespace atc_torch_test {

inline constexpr c10::DeviceType kDevices[] = {c10::DeviceType::CPU, c10::DeviceType::CUDA};

inline const char* name_of(c10::DeviceType device) {
  return device == c10::DeviceType::CUDA ? "OnCuda" : "OnCpu";
}

// Loads libtorch_cuda before anything asks LibTorch for CUDA, which remembers a "no". No test
// program names that library: there is none where these are built.
class WithCuda : public testing::Environment {
 public:
  void SetUp() override {
    if (described().cuda != ATC_TORCH_CUDA_NOT_LOADED) return;
    EXPECT_DONE(atc_torch_load_cuda());
  }
};

inline testing::Environment* const kWithCuda = testing::AddGlobalTestEnvironment(new WithCuda);

}  // namespace atc_torch_test

// Of a fixture's SetUp.
#define ATC_SKIP_WITHOUT(device)                                               \
  if ((device) == c10::DeviceType::CUDA && !at::hasCUDA())                     \
  GTEST_SKIP() << (::atc_torch_test::described().cuda == ATC_TORCH_CUDA_ABSENT \
                       ? "LibTorch is built without CUDA"                      \
                       : "LibTorch sees no CUDA device")
