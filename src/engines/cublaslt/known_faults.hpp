// The faults of the running cuBLASLt, from the table of faults.
#pragma once

#include "core/device_type.hpp"
#include "core/problem.hpp"
#include "engines/cublaslt/configuration.hpp"

namespace atc::cublaslt {

// Throws Error(unsupported) for a configuration with a known fault.
void require_no_fault(const Problem& problem, const Configuration& configuration, DeviceId device);

}  // namespace atc::cublaslt
