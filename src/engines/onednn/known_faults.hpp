// The faults of the running oneDNN, from the table of faults.
#pragma once

#include "core/problem.hpp"
#include "engines/faults/table.hpp"
#include "engines/onednn/operation.hpp"

namespace atc::onednn {

faults::Version running_version();  // of the library that was loaded

// The fault of the operation's current implementation, whose layouts have been read, or null.
const faults::Fault* known_fault(const Problem& problem, Dtype math, const Operation& operation);

// A fault of the whole library for which it is not asked about the problem, or null.
const faults::Fault* fault_of_all(const Problem& problem, Dtype math);

}  // namespace atc::onednn
