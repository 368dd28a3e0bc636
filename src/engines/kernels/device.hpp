// The device that own kernels are to run on.
#pragma once

#include <string>

#include "device/cuda/driver_probe.hpp"
#include "engines/engine.hpp"
#include "engines/kernels/capacity.hpp"

namespace atc::kernels {

const cuda::DeviceSummary& device_of(const Limits& limits);
Capacity capacity_of(const Limits& limits);

// Empty, or why kernels for compute capability `major`.0 and later cannot run on that device.
std::string objection_below(const Limits& limits, int major);
// Empty, or why kernels for this compute capability alone cannot run on that device.
std::string objection_but_for(const Limits& limits, int major, int minor);

}  // namespace atc::kernels
