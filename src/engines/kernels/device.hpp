// Functions that return the properties of the CUDA device on which kernels of atc's own will run
// (`limits.device`), and that say whether this device can run the kernels.
#pragma once

#include <string>

#include "device/cuda/driver_probe.hpp"
#include "engines/engine.hpp"
#include "engines/kernels/capacity.hpp"

namespace atc::kernels {

const cuda::DeviceSummary& device_of(const Limits& limits);
Capacity capacity_of(const Limits& limits);

// Returns "" if the device can run kernels that need compute capability `major`.0 or later.
// Otherwise returns the reason why not, as a text for people.
std::string objection_below(const Limits& limits, int major);
// Returns "" if the device can run kernels that are compiled for exactly compute capability
// `major`.`minor`. Otherwise returns the reason why not, as a text for people.
std::string objection_but_for(const Limits& limits, int major, int minor);

}  // namespace atc::kernels
