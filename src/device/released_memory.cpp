#include "device/released_memory.hpp"

#include "device/cuda/captured_memory.hpp"
#include "device/cuda/kept_memory.hpp"

namespace atc {

void trim_released_memory(DeviceId device) {
  if (device.type != DeviceType::cuda) return;
  cuda::trim_captured_memory();
  cuda::trim_kept_memory();
}

void free_released_memory() {
  cuda::free_captured_memory();
  cuda::trim_kept_memory();
}

}  // namespace atc
