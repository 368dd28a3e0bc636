// Explores a layer (one convolution problem) beside the running program: the program's own calls
// are the measurements. For each call the exploration says which arm runs. An arm is a candidate
// that may compute results of the program; arm 0 is the default. The code has no threads, clocks or
// devices: its caller reports the time of each call.
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
  // The largest cost of exploring, as a part of the time that `calls` calls of the default take.
  // The cost of a call is the time by which it exceeds a call of the default.
  double most_cost = 0.02;
  double calls = 1000;
  double tie_margin = 0.01;      // relative
  std::size_t most_rounds = 40;  // the most rounds in which an arm runs
  std::uint64_t seed = 0;
};

// The calls that are measured form rounds. In a round each arm that is left has one call whose time
// counts, in a random order, so that a disturbance which lasts affects all arms alike. Times are
// compared within rounds. The first call of a candidate does not count. The calls between the
// measured ones run the arm that is known to be the fastest.
//
// Before an arm gets a call, the largest cost of this call is reserved. So the cost stays within
// its bound as long as no call takes longer than expected.
class Exploration {
 public:
  struct Turn {
    std::size_t arm = 0;
    bool measured = false;  // the caller has to call ran() when the call has ended
  };

  explicit Exploration(const ExplorationOptions& options);

  // Adds an arm whose calls are expected to take so many seconds. Returns its number. An arm that
  // is added after the decision never runs, and neither does an arm that is expected to be far
  // slower than the fastest one.
  std::size_t add(double expected);
  // Call this when no further arms will be added. Then a decision can be made.
  void close();
  // Takes an arm out because a call of it has failed.
  void drop(std::size_t arm, std::string reason);

  // Returns the arm that the next call has to run.
  Turn next();
  // Call this when a measured call of the arm with this index has ended. `seconds` is its time;
  // empty if the time does not count.
  void ran(std::size_t index, std::optional<double> seconds);

  // Call this if the call that next() asked for was not made.
  void put_back(std::size_t index);

  bool decided() const { return winner_.has_value(); }
  std::size_t winner() const { return winner_.value_or(0); }
  // Whether at least two arms were compared. Without a comparison there is nothing to record.
  bool compared() const;
  double default_seconds() const { return base(); }  // of a call; 0: not known yet
  double cost() const { return spent_; }  // seconds by which calls exceeded those of the default
  double budget() const;                  // seconds; 0 as long as the default's time is not known
  Standing standing(std::size_t index) const;  // of this arm, after the decision
  // Returns by how much the winner may be slower than another arm that was left at the end
  // (relative).
  double risk() const { return risk_; }
  std::size_t calls() const { return calls_; }  // that counted

 private:
  struct Arm {
    double expected = 0;                      // seconds of a call, before its first call
    std::size_t joined = 0;                   // its first round
    std::vector<std::optional<double>> logs;  // log(seconds) by round, from `joined` on
    bool open = true;
    bool under_way = false;  // true while a measured call runs
    bool warm = false;       // true if the first call, which may load code, was made
    std::size_t vain = 0;    // the number of measured calls in a row whose time did not count
    double reserved = 0;     // the part of the budget that is reserved for the call under way
    Outcome outcome = Outcome::lost;
    std::string reason;
  };
  using Logs = std::vector<double>;

  static Logs logs_of(const Arm& arm);
  // The logarithms of two arms in the rounds in which both have one.
  static std::pair<Logs, Logs> common(const Arm& first, const Arm& second);
  double base() const;                 // seconds of a call of the default; 0: not known
  double leaders_time() const;         // seconds
  double extra(const Arm& arm) const;  // the largest cost of its next call
  bool affordable(const Arm& arm) const;
  void begin_round();
  void end_round();
  void compare();
  void decide();
  static void take_out(Arm& arm, Outcome outcome, std::string reason);

  const ExplorationOptions options_;
  std::vector<Arm> arms_;
  std::vector<std::size_t> order_;  // the arms that this round still has to run, the next one last
  std::size_t round_ = 0;
  std::uint64_t random_ = 0;
  double spent_ = 0;
  std::size_t calls_ = 0;
  std::size_t fastest_ = 0;  // the arm of calls that are not measured
  bool in_round_ = false, settled_ = false, closed_ = false;
  std::optional<std::size_t> winner_;
  double risk_ = 0;
};

}  // namespace atc::tune
