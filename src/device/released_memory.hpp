// Device memory that its owner has released, but that queued work or graphs may still read.
#pragma once

#include "core/device_type.hpp"

namespace atc {

// Frees memory on this device that no queued work and no graph reads any more. A limited amount is
// kept for later captures. If there is no memory to free, a call of this function costs only a few
// atomic loads.
void trim_released_memory(DeviceId device);
// Frees, on all devices, all memory that no queued work and no graph reads any more.
void free_released_memory();

}  // namespace atc
