// The state of one race: its contestants, their samples, the rest of the budget. Techniques call
// the Field, and only the Field calls contestants and the device, so that budget, cancellation,
// progress and the order prepare, check, run, release hold for all techniques.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "tune/contestant_state.hpp"
#include "tune/options.hpp"
#include "tune/outlook.hpp"
#include "tune/progress.hpp"
#include "tune/prospects.hpp"
#include "tune/result.hpp"

namespace atc::tune {

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

  // The default, then the others, capped.
  const std::vector<std::size_t>& order() const { return order_; }
  ContestantState& at(std::size_t index) { return entries_[index]; }
  const ContestantState& at(std::size_t index) const { return entries_[index]; }
  const std::vector<ContestantState>& entries() const { return entries_; }
  std::vector<std::size_t> racing() const;
  const Outlook& outlook() const { return outlook_; }
  const Options& options() const { return options_; }

  // The contestant whose turn is next. Empty: no turn of those that are left pays, and each has the
  // reason in its standing.
  std::optional<std::size_t> next();
  // Prepares and checks a contestant. False: it is out, or it may not start, because the race is
  // cancelled or the budget is spent (a contestant that is needed starts nevertheless). `share`:
  // the part of the budget in which contestants may start.
  bool admit(std::size_t index, double share = 1);
  // Times `calls` executions. Empty: it failed and is out, or nothing was run (cancelled, out of
  // time).
  std::optional<Sample> time(std::size_t index, std::size_t calls, std::size_t round);
  // If the host cannot issue the calls fast enough, or if the race times graphs by now, times the
  // same calls as a graph and stores that time in `sample`. False: the contestant failed and is
  // out.
  bool time_in_graph(std::size_t index, std::size_t calls, Sample& sample);
  // If a contestant in the race was timed in a graph, all are from now on: only equal modes are
  // compared.
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
  bool cancelled() const { return cancelled_; }
  // From now on the race may go on for this part of the budget, even beyond the budget.
  void extend(double part);
  // True, and remembered, when no more than `seconds` of the budget are left.
  bool out_of_time(double seconds = 0);
  double left() const;  // seconds of the budget

  void expect(std::size_t units);    // this much more work is coming
  void tick(std::size_t units = 1);  // this much is done; may cancel

  void unstable(const std::string& why);
  void risks(double risk) { result_.risk = risk; }
  void choose_captured(std::size_t index) { result_.captured = index; }
  // Releases all but the winner and returns all standings.
  Result finish(std::optional<std::size_t> winner);

 private:
  void lose(std::size_t index, Outcome otherwise);  // inside a catch block: records what was thrown
  double elapsed() const { return device_.now() - start_; }  // seconds
  bool passes(std::size_t index);                            // its check; else it is out
  // Starts to compile the next candidate that has to be compiled, if its turn pays by now. Does
  // nothing if `current`, which is about to be prepared, compiles, or if another one has begun.
  void begin_compiling(std::size_t current);
  // False for a long batch of a hopeless contestant: even in a graph it could not win.
  bool is_worth_recording(std::size_t index, double seconds, std::size_t calls) const;
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
  const Outlook outlook_;
  const Prospects prospects_;
  Progress progress_;
  Result result_;
  double extra_ = 0;         // seconds beyond the budget
  double default_took_ = 0;  // seconds until the default was prepared and checked
  bool cancelled_ = false;
  bool out_of_time_ = false;
  bool in_graphs_ = false;
  bool company_ = false;        // other work was seen on the device
  bool short_of_time_ = false;  // the budget left candidates without a turn
  std::optional<std::size_t> kept_;
};

}  // namespace atc::tune
