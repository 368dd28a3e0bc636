// Texts that say under which conditions a rank (a process of a distributed job) decides: its
// device, versions and options. Ranks decide together only if these texts are equal.
#pragma once

#include <string>

#include "conv/options.hpp"
#include "core/device_type.hpp"

namespace atc::conv {

// Returns the environment of the rank as JSON: device and versions (the environment of keys), the
// roster (the engines and rewrites that the request admits), and the options that change decisions.
// Ranks with equal texts form a class, which decides together. Throws what require_device throws.
std::string environment_text(DeviceId device, const PlanOptions& how);

// Returns a text for the pin file in use, for example "pins 0123456789abcdef". Throws what
// pins_in_use throws.
std::string pins_text();

// Returns the differences between `environment` and the environment `first` of the first class, for
// example "environment/threads is 2 (first class: 1)". Both texts may come from other ranks, so
// they may be malformed.
std::string differences(const std::string& environment, const std::string& first);

}  // namespace atc::conv
