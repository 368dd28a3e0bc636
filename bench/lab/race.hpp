// One race of all candidates for a problem on CUDA.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/problem.hpp"
#include "tune/race.hpp"

namespace atc::lab {

struct Racer {
  std::string choice;          // with engine, version and configuration
  std::string outcome;         // "won", "lost", "dropped", "tied" were timed; the others were not
  std::string reason;          // why it was not taken, or ""
  double median = 0, min = 0;  // seconds per call; 0: was not timed
  std::uint64_t workspace = 0;
  tune::Spent spent;
};

struct Race {
  std::vector<Racer> racers;  // in the order in which they were offered
  std::string winner;         // "": no candidate ran
  std::string not_offered;    // why engines offered nothing
  std::string why;            // the race's remarks
  bool unstable = false;
  double seconds = 0;
  double listing = 0;  // seconds to collect the offers, before the race
};

// `engines`: the engines that take part; empty: all but the reference. The race ends after `budget`
// seconds.
Race race(const Problem& problem, bool allow_tf32, const std::vector<std::string>& engines,
          double budget);

}  // namespace atc::lab
