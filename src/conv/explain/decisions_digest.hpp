// A digest of the choices that calls will run.
#pragma once

#include <cstdint>
#include <vector>

#include "conv/options.hpp"
#include "core/device_type.hpp"
#include "core/problem.hpp"

namespace atc::conv {

// A hash over the keys of the problems and the choices that eager and captured calls with these
// options run (decide/foresee.hpp). The order of the problems has no influence, nor has a problem
// that occurs twice. Measures, builds and writes nothing.
std::uint64_t decisions_digest(const std::vector<Problem>& problems, DeviceId device,
                               const PlanOptions& options);

}  // namespace atc::conv
