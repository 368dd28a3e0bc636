#include "device/stream.hpp"

#include "device/cuda/captured_memory.hpp"
#include "device/cuda/driver.hpp"

namespace atc {

bool is_captured(DeviceId device, Stream stream) {
  return device.type == DeviceType::cuda && cuda::is_captured(device.index, stream);
}

void* workspace_if_captured(std::uint64_t size, DeviceId device, Stream stream) {
  return device.type == DeviceType::cuda ? cuda::captured_workspace(size, device, stream) : nullptr;
}

}  // namespace atc
