// A contestant during a race, with its samples.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "tune/contestant.hpp"
#include "tune/result.hpp"

namespace atc::tune {

constexpr double kShortestCall = 1e-12;  // used for a measured time of 0: the clock is too coarse

struct Sample {
  std::size_t round = 0;
  double seconds = 0;  // per call, of the device
  double host = 0;     // of the host to issue a call; 0: not known
  std::optional<double> clock_hz;
  bool throttled = false;
  bool shared = false;    // other work was on the device
  bool in_graph = false;  // `seconds` are those of a graph

  // Seconds per eager call.
  double cost() const { return std::max(seconds, host); }
  bool host_bound() const { return host > 0 && host >= seconds; }
};

struct ContestantState {
  Contestant* contestant = nullptr;
  Standing standing;
  std::vector<Sample> samples;  // without warm-ups; which ones count is decided later
  bool racing = false;          // prepared, checked, not out
  bool prepared = false;        // must be released
  std::optional<Sample> alone;  // its only execution, which was in its check
  bool asked = false;           // begin_compiling was called
  bool had_turn = false;        // admit was called
  bool counted = false;         // whether its launches were counted
  double fastest = 0;           // seconds per call, of any batch so far; 0 = never ran
};

}  // namespace atc::tune
