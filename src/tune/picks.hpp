// Picks the candidates of a layer that are checked and tried beside the program. They are picked
// one after the other, because the time of a candidate that was checked shows how much a further
// one can save.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "tune/contestant.hpp"

namespace atc::tune {

struct Pick {
  std::size_t candidate = 0;
  double saving = 0;  // the expected saving of a call, in seconds, compared with the fastest
                      // candidate so far
  double cost = 0;    // the expected seconds of its check
};

class Picks {
 public:
  // `beliefs` are those of the candidates, without the default. `default_seconds` is the time of a
  // call of the default. The check of the first pick takes `first_cost` seconds longer than those
  // of the others, because operands and trusted results are made for it.
  Picks(std::vector<Belief> beliefs, double default_seconds, double first_cost);

  // The candidate with the largest saving / cost among those that are not checked yet. Empty if no
  // candidate is expected to save, in `calls` calls, more than its cost.
  std::optional<Pick> next(double calls) const;
  // Call this when a candidate was checked. `seconds` is the time of one execution; empty if the
  // candidate cannot be used.
  void checked(std::size_t candidate, std::optional<double> seconds);

 private:
  const std::vector<Belief> beliefs_;
  const double default_seconds_, first_cost_;
  std::vector<bool> checked_;
  double fastest_;  // seconds: of the default and the usable candidates so far
  bool is_first_ = true;
};

}  // namespace atc::tune
