// A digest (hash) of the choices that calls will run, to compare two processes.
#pragma once

#include <cstdint>
#include <vector>

#include "conv/options.hpp"
#include "core/device_type.hpp"
#include "core/problem.hpp"

namespace atc::conv {

// Returns a hash over the keys of the problems and the choices of eager and captured calls with
// these options (decide/foresee.hpp). The hash does not depend on the order of the problems, nor on
// how often a problem occurs. Measures, builds and writes nothing.
std::uint64_t decisions_digest(const std::vector<Problem>& problems, DeviceId device,
                               const PlanOptions& options);

}  // namespace atc::conv
