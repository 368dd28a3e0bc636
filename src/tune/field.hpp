// The state of one race: who is in it, what was measured, how much may still be spent. Techniques
// call the Field, and only the Field calls contestants and the device, so that budget,
// cancellation, progress and the order prepare, check, run, release hold for all techniques.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tune/race.hpp"

namespace atc::tune {

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
  std::vector<Sample> samples;  // those that may count; warm-ups are not among them
  bool racing = false;          // prepared, checked, not out
  bool prepared = false;        // must be released
  std::optional<Sample> alone;  // its only execution, in its check: no other follows
  bool asked = false;           // begin_compiling was called
  bool had_turn = false;        // admit was called
  bool counted = false;         // whether its launches were counted
  double fastest = 0;           // seconds per call, of any batch so far; 0 = never ran
};

// Adds to `seconds` the time on the device's clock for which it lives.
class Stopwatch {
 public:
  Stopwatch(Device& device, double& seconds)
      : device_(device), seconds_(seconds), began_(device.now()) {}
  ~Stopwatch() { seconds_ += device_.now() - began_; }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  Device& device_;
  double& seconds_;
  double began_;
};

class Field {
 public:
  Field(Device& device, const std::vector<Contestant*>& contestants, const Options& options,
        const OnProgress& on_progress);
  ~Field();  // releases all but the winner that `finish` was given
  Field(const Field&) = delete;
  Field& operator=(const Field&) = delete;

  // Contestants in the order they are prepared: the default, then the others, capped.
  const std::vector<std::size_t>& order() const { return order_; }
  ContestantState& at(std::size_t index) { return entries_[index]; }
  const ContestantState& at(std::size_t index) const { return entries_[index]; }
  std::vector<std::size_t> racing() const;
  bool is_default(std::size_t index) const { return index == options_.default_index; }
  bool is_spare(std::size_t index) const {
    return !is_default(index) && index + options_.spares >= entries_.size();
  }
  const Options& options() const { return options_; }

  // Prepares and checks a contestant. False: it is out, or was not allowed to start: the race is
  // cancelled or, unless it is needed, out of time, `share` of the budget is spent, its kin are
  // hopeless, or it compiles or is a spare and such ones were in vain or took their part of the
  // budget.
  bool admit(std::size_t index, double share = 1);
  // Times `calls` executions. Empty: it failed and is out, or nothing was run (cancelled, out of
  // time).
  std::optional<Sample> time(std::size_t index, std::size_t calls, std::size_t round);
  // Replaces the time of the sample by that of the same calls in a graph, where the host cannot
  // keep up or all are timed so. False: the contestant failed and is out.
  bool time_in_graph(std::size_t index, std::size_t calls, Sample& sample);
  // If one that is left was timed in a graph, all are from now on: only like is compared.
  void settle_mode();
  // Puts a contestant out of the race and releases it.
  void leave(std::size_t index, Outcome outcome, std::string reason = {});
  // Puts out a contestant that was admitted but not timed before the race stopped, unless it is
  // needed.
  void skip_untimed(std::size_t index);

  // Whether other work was seen on the device at any batch so far.
  bool had_company() const { return company_; }

  // Whether the default's only execution was the one in its check, because it took longer than the
  // whole budget.
  bool ran_once(std::size_t index) const { return entries_[index].alone.has_value(); }

  bool stopped() const { return cancelled_ || out_of_time_; }
  // True, and remembered, when no more than `seconds` of the budget are left.
  bool out_of_time(double seconds = 0);
  double left() const;  // seconds of the budget

  void expect(std::size_t units);    // this much more work is coming
  void tick(std::size_t units = 1);  // this much is done; may cancel

  void unstable(const std::string& why);
  void risks(double risk) { result_.risk = risk; }
  void choose_captured(std::size_t index) { result_.captured = index; }
  // Releases all but the winner and returns how everyone stands.
  Result finish(std::optional<std::size_t> winner);

 private:
  void lose(std::size_t index, Outcome otherwise);  // inside a catch block: records what was thrown
  double leaders_time() const;                      // seconds per call; infinity: none ran
  // False where other work may have cost it what it is behind: other work was seen at all of its
  // batches, but not at all of another's.
  bool is_comparable(const ContestantState& entry) const;
  bool passes(std::size_t index);  // its check; else it is out
  // Whether the race has nothing that runs without this contestant: it is the default, or the
  // default is out and no other runs. The budget does not keep it out.
  bool is_needed(std::size_t index) const;
  double patience(std::size_t index) const;  // seconds for an execution in its check
  bool spares_are_dear();                    // those tried so far took their part of the time
  bool compilers_are_spent() const;          // those that compile took their part of the budget
  // How many of the candidates that were compiled last fell behind; one that was plainly behind
  // counts as enough.
  std::size_t compiled_in_vain() const;
  // Starts to compile the next candidate that compiles, while there is time: its turn comes however
  // the others turn out. Does nothing where that is `current`, which is about to be prepared.
  void begin_compiling(std::size_t current);
  bool is_hopeless(std::size_t index, double seconds) const;
  // False for a long batch of a hopeless one: no graph is so much faster that it could win.
  bool is_worth_recording(std::size_t index, double seconds, std::size_t calls) const;
  bool was_hopeless(std::size_t index) const;      // in its check or its batches
  bool has_hopeless_kin(std::size_t index) const;  // of its kin some ran, all hopeless
  void spent();  // notes that the race was cut short for want of time
  void note(const std::string& sentence);
  // Notes that the contestant is not run again, and returns why.
  std::string note_too_long(std::size_t index, double seconds);

  Device& device_;
  const Options options_;
  const OnProgress& on_progress_;
  const double start_;
  std::vector<ContestantState> entries_;
  std::vector<std::size_t> order_;
  Progress progress_;
  Result result_;
  double default_took_ = 0;        // seconds to prepare and check it
  double compiling_ = 0;           // seconds that preparing candidates that compile has taken
  std::optional<double> widened_;  // seconds into the race, when the first spare's turn came
  bool cancelled_ = false;
  bool out_of_time_ = false;
  bool in_graphs_ = false;
  bool company_ = false;        // other work was seen on the device
  bool short_of_time_ = false;  // the budget left candidates without a turn
  std::optional<std::size_t> kept_;
};

}  // namespace atc::tune
