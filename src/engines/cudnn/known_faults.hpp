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

// Returns the fault of the running cuDNN that forbids the configuration, or "".
std::string known_fault(const Notes& notes, const Problem& problem, DeviceId device);

// Adds to the notes the facts about an engine that cuDNN does not report.
void amend(Notes& notes, const Problem& problem, DeviceId device);

// Whether a fault may concern the configuration. The engine's notes are not known here, so the
// answer may be true without need.
bool is_suspect(const Configuration& configuration, const Problem& problem, DeviceId device);

// Whether the running cuDNN is known to compute such a problem wrongly after it has run problems of
// other spatial sizes. It is not known which configurations do so.
bool remembers_sizes(const Problem& problem);

}  // namespace atc::cudnn
