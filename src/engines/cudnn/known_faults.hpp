// The faults of the running cuDNN, from the table of faults and the errata file.
#pragma once

#include <string>

#include "core/device_type.hpp"
#include "core/problem.hpp"
#include "engines/faults/fault.hpp"

namespace atc::cudnn {

struct Configuration;
struct Notes;

faults::Version running_version();

// The fault of the running cuDNN because of which the configuration is not used, or "".
std::string known_fault(const Notes& notes, const Problem& problem, DeviceId device);

// Adds known facts about an engine to those that cuDNN reports.
void amend(Notes& notes, const Problem& problem, DeviceId device);

// Whether a fault may concern the configuration, as far as can be told without the engine's notes.
bool is_suspect(const Configuration& configuration, const Problem& problem, DeviceId device);

// Whether the running cuDNN is said to compute such a problem wrongly once problems of other
// spatial sizes have run. Which of its configurations do so is not known.
bool remembers_sizes(const Problem& problem);

}  // namespace atc::cudnn
