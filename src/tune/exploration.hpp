// Explores a layer (one convolution problem) beside the running program: the program's own calls
// are timed. An arm is a candidate whose results the program may use; arm 0 is the default. The
// exploration decides which arm each call runs, and at the end chooses a winner. The code has no
// threads, clocks or devices: its caller reports the time of each call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tune/result.hpp"

namespace atc::tune {

struct ExplorationOptions {
  // The largest cost of exploring, as a fraction of the time that `calls` calls of the default
  // take. A call costs the time by which it takes longer than a call of the default.
  double most_cost = 0.02;
  double calls = 1000;
  // Two arms (candidates) tie if their times differ by less than this (a fraction).
  double tie_margin = 0.01;
  std::size_t most_rounds = 40;  // the largest number of rounds in which one candidate runs
  std::uint64_t seed = 0;
};

// The measured calls form rounds. In a round each arm (candidate) that has not been given up makes
// one call whose time counts. The order of the arms is random, so that a lasting disturbance
// affects all arms alike. Times are compared within rounds. The first call of each candidate does
// not count. The calls between the measured calls run the arm that is known to be the fastest. If
// measured calls give no usable time, fewer and fewer calls are measured.
//
// Before an arm (a candidate) gets a call, the largest cost that is expected of the call is
// reserved in the budget. So the total cost does not exceed the budget as long as no call costs
// more than was reserved for it.
class Exploration {
 public:
  struct Turn {
    std::size_t arm = 0;
    bool measured = false;  // true if the caller has to call ran() when the call has ended
  };

  explicit Exploration(const ExplorationOptions& options);

  // Adds an arm (a candidate) and returns its number. `expected` is the expected time of a call in
  // seconds. An arm never runs if it is added after the decision, or if it is expected to be far
  // slower than the fastest arm.
  std::size_t add(double expected);
  // Says that no further arms (candidates) will be added. No decision is made before this call.
  void close();
  // Removes an arm (a candidate) because one of its calls has failed.
  void drop(std::size_t arm, std::string reason);

  // Returns the arm (candidate) that the next call of the program has to run, and whether the call
  // is measured.
  Turn next();
  // Reports that a measured call of the arm (candidate) with this index has ended. `seconds` is the
  // time of the call, or empty if the time must not count.
  void ran(std::size_t index, std::optional<double> seconds);

  // Reports that the measured call that next() has assigned to this arm (candidate) was not made.
  // The call is assigned again later.
  void put_back(std::size_t index);

  bool decided() const { return winner_.has_value(); }
  std::size_t winner() const { return winner_.value_or(0); }
  // Returns whether the default and at least one other candidate were timed. If not, nothing was
  // compared, and there is no decision to record.
  bool compared() const;
  // The time of a call of the default in seconds; 0: not known yet.
  double default_seconds() const { return base(); }
  // The seconds by which the calls so far took longer than calls of the default would have taken.
  double cost() const { return spent_; }
  // The largest allowed cost() in seconds; 0 as long as the default's time is not known.
  double budget() const;
  // The standing of this arm (candidate): why it won or did not win. Valid after the decision.
  Standing standing(std::size_t index) const;
  // Returns the fraction by which the winner may be slower than another candidate that remained to
  // the end.
  double risk() const { return risk_; }
  // Returns the number of measured calls of the program whose time counted.
  std::size_t calls() const { return calls_; }

 private:
  struct Arm {
    double expected = 0;     // the expected seconds of a call of the arm, before its first call
    std::size_t joined = 0;  // the first round in which the arm (candidate) runs
    // The logarithm of the time (in seconds) of the arm's call in each round, from the round
    // `joined` on; empty if this call was not timed.
    std::vector<std::optional<double>> logs;
    bool open = true;
    bool under_way = false;  // true while a measured call of the arm is running
    // True once the arm's first call was made. That call may load code, so its time does not count.
    bool warm = false;
    std::size_t vain = 0;  // how many measured calls in a row gave no time that counts
    double reserved = 0;   // seconds of the budget that are reserved for the arm's running call
    Outcome outcome = Outcome::lost;
    std::string reason;
  };
  using Logs = std::vector<double>;

  static Logs logs_of(const Arm& arm);
  // Returns the logarithms of the times of two candidates, for the rounds in which both have a
  // time.
  static std::pair<Logs, Logs> common(const Arm& first, const Arm& second);
  // The time of a call of the default in seconds; 0: not known.
  double base() const;
  // The time of a call of the fastest candidate in seconds.
  double leaders_time() const;
  // The largest expected cost of the next call of the arm (candidate), in seconds.
  double extra(const Arm& arm) const;
  bool affordable(const Arm& arm) const;
  void begin_round();
  void end_round();
  void compare();
  void decide();
  static void take_out(Arm& arm, Outcome outcome, std::string reason);

  const ExplorationOptions options_;
  std::vector<Arm> arms_;
  // The indices of the candidates that still have to run in this round. The last one runs next.
  std::vector<std::size_t> order_;
  std::size_t round_ = 0;
  std::uint64_t random_ = 0;
  double spent_ = 0;
  std::size_t calls_ = 0;
  std::size_t fastest_ = 0;  // the candidate that computes the calls that are not measured
  std::size_t passed_ = 0;   // the number of calls that are not measured before the next one is
  bool in_round_ = false, settled_ = false, closed_ = false;
  std::optional<std::size_t> winner_;
  double risk_ = 0;
};

}  // namespace atc::tune
