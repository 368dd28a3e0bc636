// Picks the candidates of a layer (one convolution problem) that are checked and tried beside the
// program. The candidates are picked one after the other: the time of a candidate that was checked
// limits how much a further candidate can save.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "tune/contestant.hpp"

namespace atc::tune {

struct Pick {
  std::size_t candidate = 0;
  // The expected saving per call in seconds, compared with the fastest candidate so far.
  double saving = 0;
  double cost = 0;  // the seconds that the check of the candidate is expected to take
};

class Picks {
 public:
  // `beliefs` has what is expected of each candidate except the default. `default_seconds` is the
  // time of a call of the default, in seconds. The check of the first pick takes `first_cost`
  // seconds longer than the other checks, because operands and trusted results are made for it.
  Picks(std::vector<Belief> beliefs, double default_seconds, double first_cost);

  // Returns the candidate with the largest ratio of saving to cost among those that are not checked
  // yet. Returns nothing if no candidate is expected to save, in `calls` calls, more time than its
  // check costs.
  std::optional<Pick> next(double calls) const;
  // Reports that a candidate was checked. `seconds` is the time of one execution of the candidate.
  // It is empty if the candidate cannot be used, or if its time is not reliable.
  void checked(std::size_t candidate, std::optional<double> seconds);

 private:
  const std::vector<Belief> beliefs_;
  const double default_seconds_, first_cost_;
  std::vector<bool> checked_;
  // The shortest time in seconds among the default and the usable candidates so far.
  double fastest_;
  bool is_first_ = true;
};

}  // namespace atc::tune
