// Decides which contestant gets the next turn (prepare, check, first batch). A turn has a gain, the
// time that the contestant is expected to save in all calls of the problem, and a cost, the time
// that the turn is expected to take. A contestant gets a turn only if its gain exceeds its cost.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tune/contestant_state.hpp"
#include "tune/options.hpp"
#include "tune/outlook.hpp"

namespace atc::tune {

// The number of executions in a turn: in the check, the first timed one, and a batch.
constexpr double kExecutionsOfTurn = 6;
// The number of executions in the turn of a contestant that is hopelessly slow. The check ends
// after them, and an execution on a device cannot be ended earlier.
constexpr double kExecutionsOfHopeless = 2;
constexpr double kLeastCost = 1e-6;  // the least seconds that a turn costs apart from its
                                     // executions

// The seconds that the executions of a turn are expected to take, if each takes `execution`
// seconds. A contestant is hopeless if an execution takes more than `hopeless` seconds.
double seconds_of_executions(double execution, double hopeless);

// The expected saving per call, as a fraction of the leader's time. `mean` and `deviation` are
// those of log(time of the contestant / time of the leader). The result is the probability that the
// contestant is faster, times the expected saving if it is faster. `bound` is the least possible
// time / the leader's time.
double expected_saving(double mean, double deviation, double bound);

struct Prospect {
  double gain = 0;  // seconds saved in all calls
  double cost = 0;  // seconds of the turn
  double rank = 0;  // expected gain of one call, divided by the cost of the turn; the contestant
                    // with the highest rank has the next turn

  bool pays() const { return gain > cost; }
};

// A view of the state of a race. The state must outlive the view.
class Prospects {
 public:
  Prospects(const std::vector<ContestantState>& entries, const std::vector<std::size_t>& order,
            const Outlook& outlook, const Options& options);

  // The contestant that gets the next turn: first the default, then yardsticks, then the contestant
  // with the highest rank among those whose turn pays. As long as nothing runs, the first one in
  // `order`. Empty if no further turn pays.
  std::optional<std::size_t> next() const;
  // Among the contestants that have to be compiled and whose turn pays, the one with the highest
  // rank. `current` is left out.
  std::optional<std::size_t> next_to_compile(std::size_t current) const;
  // The prospects of all contestants. Only contestants that have had no turn yet have a gain and a
  // cost.
  std::vector<Prospect> all() const;
  // The reason why a contestant with this prospect gets no turn, as text.
  std::string refusal(const Prospect& prospect) const;

 private:
  struct Expected {
    double mean = 0, variance = 0;  // mean and variance of log(time / time of the default)
  };

  // All logarithms are those of a time / this time: the default's time, or the time of the first
  // contestant that ran. 0 if none ran.
  double reference() const;
  // Returns log(time of the contestant / reference), if the race has shown it.
  std::optional<double> shown(std::size_t index, double reference) const;
  // The expected logarithm of each contestant, from the belief before the race and from the times
  // of the contestants that ran.
  std::vector<Expected> expected(double reference) const;
  // Returns the contestant with the highest rank among those in `waiting` whose turn pays.
  std::optional<std::size_t> best_of(const std::vector<std::size_t>& waiting) const;

  const std::vector<ContestantState>& entries_;
  const std::vector<std::size_t>& order_;
  const Outlook& outlook_;
  const Options& options_;
  std::vector<Belief> beliefs_;
  // groups_[place][i] is the group of contestant i at this place of Contestant::groups. It is
  // kNoGroup if the contestant is in no group.
  std::vector<std::vector<std::size_t>> groups_;
};

}  // namespace atc::tune
