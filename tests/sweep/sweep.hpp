// Tries every point of a step at which a fault can happen, one after the other.
#pragma once

#include "steps.hpp"

namespace atc_sweep {

enum class Start {
  warm,  // each point is tried in a process that has run the step before
  cold,  // each point is tried in a new process that has not called libatc yet
};

struct Swept {
  std::uint64_t points = 0;
  std::uint64_t known_to_crash = 0;  // further points, which lie in functions that are known to
                                     // crash (known_to_crash())
};

// Runs the step with the fault at its first point, its second point, and so on until there is none
// left, in child processes. Fails the caller's test if libatc ends a process, breaks a promise or
// leaks. Returns the number of points; none if the test has failed before.
Swept sweep(const Step& step, Kind kind, Manner manner, Start start);

}  // namespace atc_sweep
