// Tries a fault at each point of a step, one point after the other. A point is a call that can
// fail.
#pragma once

#include "steps.hpp"

namespace atc_sweep {

enum class Start {
  warm,  // each point (a call that can fail) is tried in a process that has run the step before
  // each point (a call that can fail) is tried in a new process that has not called libatc before
  cold,
};

struct Swept {
  std::uint64_t points = 0;
  // A point is a call that can fail. The number of points that `points` does not count, because the
  // process has crashed in a function that is known to crash (known_to_crash()).
  std::uint64_t known_to_crash = 0;
};

// Runs the step in child processes. In each child, another call fails: the first call that can fail
// in this way, the second one, and so on. The caller's test fails if libatc crashes, breaks a
// promise or leaks. Returns the number of these calls, or nothing if the test has failed before.
Swept sweep(const Step& step, Kind kind, Manner manner, Start start);

}  // namespace atc_sweep
