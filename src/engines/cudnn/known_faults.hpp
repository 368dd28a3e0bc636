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

// Sets notes.nondeterministic if a known fault makes the engine nondeterministic. cuDNN itself does
// not report that this engine is nondeterministic.
void amend(Notes& notes, const Problem& problem, DeviceId device);

// Whether a fault may concern the configuration. The properties that cuDNN reports (Notes) are not
// known here. So the function may return true although the fault does not concern the
// configuration.
bool is_suspect(const Configuration& configuration, const Problem& problem, DeviceId device);

// Whether the loaded cuDNN may compute the problem wrongly after it has run problems of other
// spatial sizes. This is a known fault of some versions. It is not known which configurations have
// the fault.
bool remembers_sizes(const Problem& problem);

}  // namespace atc::cudnn
