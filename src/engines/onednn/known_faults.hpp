// The faults of the running oneDNN, from the table of faults.
#pragma once

#include "core/problem.hpp"
#include "engines/faults/table.hpp"
#include "engines/onednn/operation.hpp"

namespace atc::onednn {

faults::Version running_version();  // the version of the oneDNN that was loaded

// Returns the fault of the operation's current implementation, or null. The operation's layouts
// must have been read.
const faults::Fault* known_fault(const Problem& problem, Dtype math, const Operation& operation);

// Returns the fault because of which oneDNN must not be asked about the problem at all, or null.
const faults::Fault* fault_of_all(const Problem& problem, Dtype math);

}  // namespace atc::onednn
