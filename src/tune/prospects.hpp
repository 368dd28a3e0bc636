// Decides which contestant gets the next turn (prepare, check, first batch). A turn has a gain: the
// time that the contestant is expected to save in all calls of the problem. A turn also has a cost:
// the time that the turn is expected to take. A contestant gets a turn only if its gain exceeds its
// cost.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tune/contestant_state.hpp"
#include "tune/options.hpp"
#include "tune/outlook.hpp"

namespace atc::tune {

// The number of executions in a turn: those in the check, the first timed execution, and a batch.
constexpr double kExecutionsOfTurn = 6;
// The number of executions in the turn of a contestant that is hopelessly slow. Its check ends
// after these executions. It cannot end earlier, because a running execution cannot be interrupted.
constexpr double kExecutionsOfHopeless = 2;
// A turn costs at least this many seconds, even without its executions.
constexpr double kLeastCost = 1e-6;

// Returns the seconds that the executions of a turn are expected to take, if each execution takes
// `execution` seconds. A contestant is hopeless if an execution takes more than `hopeless` seconds.
double seconds_of_executions(double execution, double hopeless);

// Returns the expected saving per call, as a fraction of the leader's time. It is the probability
// that the contestant is faster, times the expected saving if it is faster. `mean` and `deviation`
// are those of log(time of the contestant / time of the leader). `bound` is the shortest possible
// time of a call, divided by the leader's time.
double expected_saving(double mean, double deviation, double bound);

struct Prospect {
  double gain = 0;  // seconds that the contestant is expected to save in all calls
  double cost = 0;  // seconds that the turn is expected to take
  // The expected saving of one call, divided by the cost of the turn, both in seconds. The
  // contestant with the highest rank gets the next turn.
  double rank = 0;

  bool pays() const { return gain > cost; }
};

// Judges the state of a race. The state must outlive this object.
class Prospects {
 public:
  Prospects(const std::vector<ContestantState>& entries, const std::vector<std::size_t>& order,
            const Outlook& outlook, const Options& options);

  // Returns the contestant that gets the next turn. The default is the first, then the yardsticks
  // (Contestant::is_yardstick) and the favourite (Options::favourite) in the order of the
  // contestants, then the contestant with the highest rank among those whose turn pays. As long as
  // no contestant is in the race, the next one in `order` is returned. Returns nothing if no
  // further turn pays.
  std::optional<std::size_t> next() const;
  // Returns the contestant with the highest rank among those that have to be compiled and whose
  // turn pays. `current` is not considered.
  std::optional<std::size_t> next_to_compile(std::size_t current) const;
  // Returns the gain and the cost of a turn for each contestant. Both are 0 if the contestant
  // already had its turn.
  std::vector<Prospect> all() const;
  // Returns the reason, as text, why a contestant with this prospect gets no turn.
  std::string refusal(const Prospect& prospect) const;

 private:
  struct Expected {
    // Mean and variance of log(time of the contestant / time of the default).
    double mean = 0, variance = 0;
  };

  // Returns the time, in seconds, by which times are divided before their logarithms are taken: the
  // default's shortest time or, if the default did not run, the shortest time of the first
  // contestant that ran. Returns 0 if none ran.
  double reference() const;
  // Returns log(time of the contestant / reference), if this race has measured it.
  std::optional<double> shown(std::size_t index, double reference) const;
  // Returns the expected logarithm of each contestant's time. It is computed from the belief before
  // the race and from the times of the contestants that already ran.
  std::vector<Expected> expected(double reference) const;
  // Returns the contestant with the highest rank among those in `waiting` whose turn pays.
  std::optional<std::size_t> best_of(const std::vector<std::size_t>& waiting) const;

  const std::vector<ContestantState>& entries_;
  const std::vector<std::size_t>& order_;
  const Outlook& outlook_;
  const Options& options_;
  std::vector<Belief> beliefs_;
  // Contestant::groups() returns a list of groups, from the widest to the narrowest.
  // groups_[position][i] is the number of the group of contestant i at this position of its list,
  // or kNoGroup if it has no group there.
  std::vector<std::vector<std::size_t>> groups_;
};

}  // namespace atc::tune
