// Looks up known faults of the loaded oneDNN in the table of faults (engines/faults).
#pragma once

#include "core/problem.hpp"
#include "engines/faults/table.hpp"
#include "engines/onednn/operation.hpp"

namespace atc::onednn {

faults::Version running_version();  // the version of the loaded oneDNN

// Returns the known fault of the implementation that `operation` has selected in oneDNN's list, or
// null. Operation::read_layouts() must have been called for this implementation.
const faults::Fault* known_fault(const Problem& problem, Dtype math, const Operation& operation);

// Returns a fault that concerns all implementations for the problem, or null. If there is such a
// fault, oneDNN must not be asked for implementations.
const faults::Fault* fault_of_all(const Problem& problem, Dtype math);

}  // namespace atc::onednn
