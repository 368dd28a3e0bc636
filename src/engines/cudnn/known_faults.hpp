// Looks up known faults of the loaded cuDNN in the table of faults (engines/faults) and in cuDNN's
// errata file (engines/faults/errata.hpp).
#pragma once

#include <string>

#include "core/device_type.hpp"
#include "core/problem.hpp"
#include "engines/faults/fault.hpp"

namespace atc::cudnn {

struct Configuration;
struct Notes;

faults::Version running_version();

// If a fault of the loaded cuDNN forbids the configuration with the properties `notes`, returns a
// sentence about this fault. Otherwise returns "".
std::string known_fault(const Notes& notes, const Problem& problem, DeviceId device);

// Sets notes.nondeterministic to true if the table of faults says so. For some engines cuDNN does
// not report that they are nondeterministic.
void amend(Notes& notes, const Problem& problem, DeviceId device);

// Whether a fault may concern the configuration. Some faults depend on properties that cuDNN
// reports only for a graph (Notes), which this function does not have. In case of doubt it returns
// true.
bool is_suspect(const Configuration& configuration, const Problem& problem, DeviceId device);

// Whether the loaded cuDNN may compute the problem wrongly after it has computed problems of other
// spatial sizes. Some versions have this fault. It is not known which configurations of a version
// have it.
bool remembers_sizes(const Problem& problem);

}  // namespace atc::cudnn
