// Frees device memory whose owner has released it while queued work or CUDA graphs still could read
// it.
#pragma once

#include "core/device_type.hpp"

namespace atc {

// If the device is a CUDA device, frees memory that no queued work and no graph reads any more, on
// all CUDA devices. A limited amount of memory from destroyed graphs is kept for later captures. If
// there is no memory to free, a call costs only a few atomic loads.
void trim_released_memory(DeviceId device);
// Frees, on all devices, all memory that no queued work and no graph reads any more.
void free_released_memory();

}  // namespace atc
