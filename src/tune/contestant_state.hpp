// The state of a contestant during a race, with its samples.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "tune/contestant.hpp"
#include "tune/result.hpp"

namespace atc::tune {

// A clock of low resolution may measure a time of 0. This number of seconds is then used in place
// of 0.
constexpr double kShortestCall = 1e-12;

struct Sample {
  std::size_t round = 0;
  double seconds = 0;  // the device's time for one call, in seconds
  double host = 0;     // the host's time to issue one call, in seconds; 0: not known
  std::optional<double> clock_hz;
  bool throttled = false;
  bool shared = false;    // true if other work was on the device during the batch
  bool in_graph = false;  // true if `seconds` was measured by replaying a graph of the calls

  // The time of an eager call in seconds: the longer of the device's time and the host's time.
  double cost() const { return std::max(seconds, host); }
  bool host_bound() const { return host > 0 && host >= seconds; }
};

struct ContestantState {
  Contestant* contestant = nullptr;
  Standing standing;
  // All samples of the contestant except those of warm-ups. Some of them do not count in the end
  // (samples.hpp).
  std::vector<Sample> samples;
  // True if the contestant was prepared, passed its check, and is still in the race.
  bool racing = false;
  bool prepared = false;  // true if the contestant's `release` must still be called
  // If the contestant was executed only in its check: the time of this execution. Otherwise empty.
  std::optional<Sample> alone;
  bool asked = false;     // true once its begin_compiling was called
  bool had_turn = false;  // true once the contestant's turn began (Field::admit)
  // True once the launches (kernels, copies, fills) of one call were counted.
  bool counted = false;
  // The shortest time of a call in any batch so far, in seconds; 0 if the contestant has not run.
  double fastest = 0;
};

}  // namespace atc::tune
