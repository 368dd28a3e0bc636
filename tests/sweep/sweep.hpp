// Tries a fault at each point of a step, one point after the other. A point is a call that can
// fail.
#pragma once

#include "steps.hpp"

namespace atc_sweep {

enum class Start {
  warm,  // each point is tried in a process that has run the step before
  cold,  // each point is tried in a new process that has not called libatc before
};

struct Swept {
  std::uint64_t points = 0;
  // The number of points that are not in `points`, because the process has crashed in a function
  // that is known to crash (known_to_crash()).
  std::uint64_t known_to_crash = 0;
};

// Runs the step in child processes: with the fault at its first point, at its second point, and so
// on. The caller's test fails if libatc crashes, breaks a promise or leaks. Returns the number of
// points, or nothing if the test has failed before.
Swept sweep(const Step& step, Kind kind, Manner manner, Start start);

}  // namespace atc_sweep
