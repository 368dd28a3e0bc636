#include "cuda_test.hpp"

#include "device/cuda/driver_probe.hpp"

namespace atc::test {

void CudaTest::SetUp() {
  if (cuda::driver().devices.empty()) GTEST_SKIP() << "no CUDA device: " << cuda::driver().trouble;
  scope_ = std::make_unique<cuda::ContextScope>(kDevice.index);
}

OnDevice::OnDevice(const void* from, std::uint64_t bytes, int device) : device_(device) {
  const cuda::ContextScope scope(device_);
  memory_ = Allocation(std::max<std::uint64_t>(bytes, 1), {DeviceType::cuda, device_});
  cuda::copy_to_device(memory_.data(), from, bytes, nullptr);
}

void OnDevice::write(const void* from) const {
  const cuda::ContextScope scope(device_);
  cuda::copy_to_device(memory_.data(), from, memory_.size(), nullptr);
}

void OnDevice::read(void* to) const {
  const cuda::ContextScope scope(device_);
  cuda::copy_to_host(to, memory_.data(), memory_.size(), nullptr);
}

DeviceInputs::DeviceInputs(const Problem& problem, const Operands& host) {
  const auto copy = [&](const Tensor& tensor, const void* from) -> void* {
    if (from == nullptr) return nullptr;
    memory_.emplace_back(from, tensor.span_bytes());
    return memory_.back().data();
  };
  operands_.x = copy(problem.x, host.x);
  operands_.w = copy(problem.w, host.w);
  operands_.y = copy(problem.y, host.y);
  operands_.bias = copy(problem.bias(), host.bias);
}

}  // namespace atc::test
