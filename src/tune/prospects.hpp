// What a turn is worth: the time that a contestant is expected to save in all calls of the problem,
// and the time that its turn is expected to take. A contestant gets a turn only if the first
// exceeds the second.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tune/contestant_state.hpp"
#include "tune/options.hpp"
#include "tune/outlook.hpp"

namespace atc::tune {

// Executions in a turn: those of the check, the first one, a batch.
constexpr double kExecutionsOfTurn = 6;
constexpr double kLeastCost = 1e-6;  // seconds of a turn beside its executions

// The saving per call, as a part of the leader's time, of a contestant whose time / the leader's
// time has this mean and standard deviation of the logarithm: the probability that it is faster,
// times the expected saving if it is. `bound`: the least time that is possible / the leader's time.
double expected_saving(double mean, double deviation, double bound);

struct Prospect {
  double gain = 0;  // seconds saved in all calls
  double cost = 0;  // seconds of the turn
  double rank = 0;  // gain of a call / cost: turns are in this order

  bool pays() const { return gain > cost; }
};

// A view of the state of a race, which outlives it.
class Prospects {
 public:
  Prospects(const std::vector<ContestantState>& entries, const std::vector<std::size_t>& order,
            const Outlook& outlook, const Options& options);

  // The contestant whose turn is next: the default, then yardsticks, then the one with the highest
  // rank among those whose turn pays. While nothing runs, the first in order. Empty: no turn of
  // those that are left pays.
  std::optional<std::size_t> next() const;
  // The contestant that compiles, whose turn pays, and whose rank is the highest, without
  // `current`.
  std::optional<std::size_t> next_to_compile(std::size_t current) const;
  // The prospects of all contestants that had no turn yet; others have none.
  std::vector<Prospect> all() const;
  // Why a contestant with this prospect gets no turn.
  std::string refusal(const Prospect& prospect) const;

 private:
  struct Expected {
    double mean = 0, variance = 0;  // of the logarithm of the time / the default's time
  };

  // The time that all logarithms are relative to: the default's, or that of the first contestant
  // that ran. 0: none ran.
  double reference() const;
  // The logarithm of the contestant's time / the reference, as far as the race has shown it.
  std::optional<double> shown(std::size_t index, double reference) const;
  // By what is believed of each contestant and by what the race has shown of the others.
  std::vector<Expected> expected(double reference) const;
  // Of these contestants, the one with the highest rank whose turn pays.
  std::optional<std::size_t> best_of(const std::vector<std::size_t>& waiting) const;

  const std::vector<ContestantState>& entries_;
  const std::vector<std::size_t>& order_;
  const Outlook& outlook_;
  const Options& options_;
  std::vector<Belief> beliefs_;
  // For each place of Contestant::groups, the group of each contestant; kNoGroup: none.
  std::vector<std::vector<std::size_t>> groups_;
};

}  // namespace atc::tune
