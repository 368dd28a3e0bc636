// Looks up the known faults of the loaded cuBLASLt in the table of faults (engines/faults).
#pragma once

#include "core/device_type.hpp"
#include "core/problem.hpp"
#include "engines/cublaslt/configuration.hpp"

namespace atc::cublaslt {

// Throws Error(unsupported) if the configuration has a known fault for the problem on the device.
void require_no_fault(const Problem& problem, const Configuration& configuration, DeviceId device);

}  // namespace atc::cublaslt
