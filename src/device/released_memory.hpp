// Device memory whose owner has released it while queued work or graphs could still read it.
#pragma once

#include "core/device_type.hpp"

namespace atc {

// Frees memory that nothing reads any more, except an amount that is kept for later captures. Costs
// a few atomic loads if there is nothing to free.
void trim_released_memory(DeviceId device);
// Frees all memory that nothing reads any more, on all devices.
void free_released_memory();

}  // namespace atc
