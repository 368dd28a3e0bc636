// The terms that ranks of a job must have in common to decide together, as texts that each rank can
// compare.
#pragma once

#include <string>

#include "conv/options.hpp"
#include "core/device_type.hpp"

namespace atc::conv {

// The environment of the rank as JSON: device and versions (the environment of keys), roster, and
// the terms of the call. Ranks with equal texts are a class, which decides together. Throws like
// require_device.
std::string environment_text(DeviceId device, const PlanOptions& how);

// The pins in use, for example "pins 0123456789abcdef". Throws what pins_in_use throws.
std::string pins_text();

// The members in which an environment differs from the environment `first`, for example
// "environment/threads is 2 (first class: 1)". Other ranks may have written both texts.
std::string differences(const std::string& environment, const std::string& first);

}  // namespace atc::conv
