// Every point of a step at which a fault can happen, one after the other.
#pragma once

#include "steps.hpp"

namespace atc_sweep {

enum class Start {
  warm,  // a process that has run the step before
  cold,  // a process that has not called libatc yet, for each point
};

// Runs the step with the fault at its first point, its second one, and so on until none is left, in
// child processes, and fails the caller's test where libatc ends one, breaks a promise or leaks.
// Returns how many points there were; none where the test has failed before.
std::uint64_t sweep(const Step& step, Kind kind, Manner manner, Start start);

}  // namespace atc_sweep
