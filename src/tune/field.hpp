// The state of one race: its contestants, their samples, the rest of the budget. The techniques
// (techniques.hpp) call the Field, and only the Field calls contestants and the device. So all
// techniques have the same rules for budget, cancellation, progress, and the order prepare, check,
// run, release.
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

// Measures the time between its construction and its destruction by the device's clock, and adds it
// to `seconds`.
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
  ~Field();  // releases all contestants except the winner, which `finish` has passed on
  Field(const Field&) = delete;
  Field& operator=(const Field&) = delete;

  // The indices of the contestants in the race: the default first, then the others, at most
  // Options::max_candidates in all.
  const std::vector<std::size_t>& order() const { return order_; }
  ContestantState& at(std::size_t index) { return entries_[index]; }
  const ContestantState& at(std::size_t index) const { return entries_[index]; }
  const std::vector<ContestantState>& entries() const { return entries_; }
  std::vector<std::size_t> racing() const;
  const Outlook& outlook() const { return outlook_; }
  const Options& options() const { return options_; }

  // The contestant that gets its turn next. Empty if no further turn is expected to pay; then each
  // contestant without a turn has the reason in its standing.
  std::optional<std::size_t> next();
  // Prepares and checks a contestant. Returns false if the contestant leaves the race, or if it may
  // not start because the race is cancelled or the budget is spent. (A contestant that is needed
  // starts even then.) `share` is the part of the budget in which contestants may start.
  bool admit(std::size_t index, double share = 1);
  // Times `calls` executions of a contestant. Empty if the contestant failed and is out of the
  // race, or if nothing was run because the race is cancelled or out of time.
  std::optional<Sample> time(std::size_t index, std::size_t calls, std::size_t round);
  // Times the same calls as a graph and stores that time in `sample`. Does so only if the host
  // cannot issue the calls fast enough, or if this race times all contestants in graphs by now.
  // Returns false if the contestant failed and is out of the race.
  bool time_in_graph(std::size_t index, std::size_t calls, Sample& sample);
  // If some contestant in the race was timed in a graph, the race times all contestants in graphs
  // from now on, so that only times of the same kind are compared.
  void settle_mode();
  // Puts a contestant out of the race and releases it.
  void leave(std::size_t index, Outcome outcome, std::string reason = {});
  // If the contestant was admitted but not timed before the race stopped, puts it out of the race,
  // unless it is needed.
  void skip_untimed(std::size_t index);

  // Whether other work was seen on the device at any batch so far.
  bool had_company() const { return company_; }

  // Whether the default's only execution was the one in its check, because it took longer than the
  // whole budget.
  bool ran_once(std::size_t index) const { return entries_[index].alone.has_value(); }

  bool stopped() const { return cancelled_ || out_of_time_; }
  bool cancelled() const { return cancelled_; }
  // From now on the race may take `part` of the budget (a fraction) more time, even beyond the end
  // of the budget.
  void extend(double part);
  // Whether at most `seconds` of the budget are left. Once true, it remains true.
  bool out_of_time(double seconds = 0);
  double left() const;  // seconds of the budget

  void expect(std::size_t units);  // announces `units` further units of work for the progress
                                   // callback
  // Reports `units` units of work as done to the progress callback, which may cancel the race.
  void tick(std::size_t units = 1);

  void unstable(const std::string& why);
  void risks(double risk) { result_.risk = risk; }
  void choose_captured(std::size_t index) { result_.captured = index; }
  // Releases all contestants except the winner and returns the standings of all.
  Result finish(std::optional<std::size_t> winner);

 private:
  // Must be called in a catch block. Puts the contestant out of the race, with the exception as the
  // reason.
  void lose(std::size_t index, Outcome otherwise);
  double elapsed() const { return device_.now() - start_; }  // seconds
  // Tells the progress callback that this contestant works next, if it is another one than before.
  void tell_turn(std::size_t index);
  // Runs the check of a contestant. Returns false if the check fails; then the contestant is out of
  // the race.
  bool passes(std::size_t index);
  // Starts to compile, on another thread, the next contestant that has to be compiled, if its turn
  // is expected to pay now. `current` is the contestant that is about to be prepared. Does nothing
  // if `current` itself compiles, or if another compilation has begun.
  void begin_compiling(std::size_t current);
  // Whether a graph may be recorded of such a batch. False for a long batch of a hopeless
  // contestant, which could not win even in a graph.
  bool is_worth_recording(std::size_t index, double seconds, std::size_t calls) const;
  void spent();  // notes that the race ended early because the budget was spent
  void note(const std::string& sentence);
  // Notes that the contestant is not run again because an execution took too long, and returns this
  // reason.
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
  double extra_ = 0;         // seconds by which the race may exceed its budget
  double default_took_ = 0;  // seconds until the default was prepared and checked
  bool cancelled_ = false;
  bool out_of_time_ = false;
  bool in_graphs_ = false;
  bool company_ = false;        // true if other work was seen on the device
  bool short_of_time_ = false;  // true if some candidates had no turn because the budget was spent
  std::optional<std::size_t> kept_;
};

}  // namespace atc::tune
