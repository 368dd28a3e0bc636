// The state of a contestant during a race, with its samples.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "tune/contestant.hpp"
#include "tune/result.hpp"

namespace atc::tune {

// The time (seconds) that replaces a measured time of 0, which a coarse clock may give.
constexpr double kShortestCall = 1e-12;

struct Sample {
  std::size_t round = 0;
  double seconds = 0;  // the device's time for a call
  double host = 0;     // the host's time to issue one call; 0: not known
  std::optional<double> clock_hz;
  bool throttled = false;
  bool shared = false;    // true if other work was on the device
  bool in_graph = false;  // `seconds` was measured in a graph

  // The time of an eager call in seconds: the longer of the device's and the host's.
  double cost() const { return std::max(seconds, host); }
  bool host_bound() const { return host > 0 && host >= seconds; }
};

struct ContestantState {
  Contestant* contestant = nullptr;
  Standing standing;
  std::vector<Sample> samples;  // all samples without those of warm-ups; samples.cpp decides later
                                // which samples count
  bool racing = false;          // prepared, checked, not out
  bool prepared = false;        // must be released
  std::optional<Sample> alone;  // if the contestant was executed only in its check: the time of
                                // this execution
  bool asked = false;           // begin_compiling was called
  bool had_turn = false;        // admit was called
  bool counted = false;         // true once the launches of one call were counted
  // The shortest time of a call in any batch so far, in seconds; 0: never ran.
  double fastest = 0;
};

}  // namespace atc::tune
