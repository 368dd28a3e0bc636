// Fixtures of tests on a CUDA device: the device, its context, tensors in its memory.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "core/allocator.hpp"
#include "device/cuda/driver.hpp"
#include "device/cuda/stream.hpp"
#include "device/cuda/tensor_work.hpp"
#include "support/tensors.hpp"

namespace atc::test {

// A fixture that skips its tests if there is no CUDA device.
class CudaTest : public testing::Test {
 protected:
  void SetUp() override;

  cuda::Context context() const { return scope_->context(); }
  cuda::TensorWork work() const { return {kDevice, context(), nullptr}; }

  static constexpr DeviceId kDevice{DeviceType::cuda, 0};

 private:
  std::unique_ptr<cuda::ContextScope> scope_;
};

// A buffer in device memory.
class OnDevice {
 public:
  OnDevice(const void* from, std::uint64_t bytes, int device = 0);
  void* data() const { return memory_.data(); }
  void write(const void* from) const;
  // Waits until all work of the legacy stream has ended, and copies the device's memory to the
  // host.
  void read(void* to) const;

 private:
  int device_;
  Allocation memory_;
};

// The operands of a problem, copied from the host to the device.
class DeviceInputs {
 public:
  DeviceInputs(const Problem& problem, const Operands& host);
  const Operands& operands() const { return operands_; }

 private:
  std::vector<OnDevice> memory_;
  Operands operands_;
};

}  // namespace atc::test
