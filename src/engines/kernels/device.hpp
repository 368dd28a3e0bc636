// The device that kernels of atc's own are to run on.
#pragma once

#include <string>

#include "device/cuda/driver_probe.hpp"
#include "engines/engine.hpp"
#include "engines/kernels/capacity.hpp"

namespace atc::kernels {

const cuda::DeviceSummary& device_of(const Limits& limits);
Capacity capacity_of(const Limits& limits);

// Returns why kernels for compute capability `major`.0 and later cannot run on that device; "" if
// they can.
std::string objection_below(const Limits& limits, int major);
// Returns why kernels for exactly this compute capability cannot run on that device; "" if they
// can.
std::string objection_but_for(const Limits& limits, int major, int minor);

}  // namespace atc::kernels
