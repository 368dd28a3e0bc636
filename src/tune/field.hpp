// The state of one race: its contestants, their samples, and the rest of the budget. The techniques
// (techniques.hpp) use contestants and the device only through the Field. So all techniques have
// the same rules for budget, cancellation, progress, and the order prepare, check, run, release.
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

// The intended length of a batch in seconds. It is about a hundred times as long as a reading of
// the clock, and as the resolution of the clock.
constexpr double kBatchSeconds = 200e-6;
constexpr std::size_t kMostCalls = 1000;

// Returns the number of executions (at most kMostCalls) of which a batch consists, so that it takes
// `batch_seconds`.
std::size_t batch_calls(double seconds_per_call, double batch_seconds = kBatchSeconds);

class Field {
 public:
  Field(Device& device, const std::vector<Contestant*>& contestants, const Options& options,
        const OnProgress& on_progress);
  // Releases all contestants except the winner that was passed to `finish`.
  ~Field();
  Field(const Field&) = delete;
  Field& operator=(const Field&) = delete;

  // The indices of the contestants that may take part: the default first, then the others in their
  // given order. If Options::max_candidates is not 0, it limits their number.
  const std::vector<std::size_t>& order() const { return order_; }
  ContestantState& at(std::size_t index) { return entries_[index]; }
  const ContestantState& at(std::size_t index) const { return entries_[index]; }
  const std::vector<ContestantState>& entries() const { return entries_; }
  std::vector<std::size_t> racing() const;
  const Outlook& outlook() const { return outlook_; }
  const Options& options() const { return options_; }

  // Returns the contestant that gets the next turn (prepare, check, first batch). Empty if no
  // further turn is expected to pay. In this case the standing of each contestant without a turn
  // says why.
  std::optional<std::size_t> next();
  // Prepares and checks a contestant. Returns false if the contestant leaves the race, or if it is
  // not started because the race is cancelled or the budget is spent. A contestant without which
  // nothing could run (Outlook::is_needed) is started even if the budget is spent. Any other
  // contestant is started only as long as less than the fraction `share` of the budget is spent.
  bool admit(std::size_t index, double share = 1);
  // Times a batch of `calls` executions of a contestant. Returns nothing if the contestant failed
  // and is out of the race, or if nothing was executed because the race is cancelled or out of
  // time.
  std::optional<Sample> time(std::size_t index, std::size_t calls, std::size_t round);
  // Times the first batch of a contestant that was just admitted. First one execution is timed, and
  // the number of executions in a batch is computed from its time. If that number is one, this
  // execution is the batch. Returns nothing if the contestant is out of the race, or if the race
  // stopped before an execution was timed.
  std::optional<Sample> time_first_batch(std::size_t index, std::size_t round);
  // Times a batch that is expected to take `batch_seconds`. The number of its executions (at most
  // kMostCalls) is computed from the contestant's shortest time so far. If the host cannot issue
  // the batch as fast as the device runs it, the batch is also timed in a graph.
  std::optional<Sample> time_batch(std::size_t index, std::size_t round,
                                   double batch_seconds = kBatchSeconds);
  // Call this before each round. If some contestant was timed in a graph, all contestants are timed
  // in graphs from now on, because times of graphs must not be compared with times of eager calls.
  void settle_mode();
  // Takes a contestant out of the race and releases it.
  void leave(std::size_t index, Outcome outcome, std::string reason = {});
  // If the race stopped after the contestant was admitted and before it was timed, takes it out of
  // the race. A contestant without which nothing could run (Outlook::is_needed) remains.
  void skip_untimed(std::size_t index);

  // Returns whether other work than that of the race was seen on the device beside any batch so
  // far.
  bool had_company() const { return company_; }

  // Returns whether the contestant was executed only in its check. This happens only to the
  // default, if its execution in the check took longer than the whole budget.
  bool ran_once(std::size_t index) const { return entries_[index].alone.has_value(); }

  bool stopped() const { return cancelled_ || out_of_time_; }
  bool cancelled() const { return cancelled_; }
  // From now on the race may exceed its budget by `part` of the budget (a fraction).
  void extend(double part);
  // Returns whether at most `seconds` of the budget are left. Once the result is true, it remains
  // true.
  bool out_of_time(double seconds = 0);
  double left() const;  // the seconds of the budget that are left

  // Announces `units` further units of work to the progress callback.
  void expect(std::size_t units);
  // Reports `units` units of work as done to the progress callback, which may cancel the race.
  void tick(std::size_t units = 1);

  void unstable(const std::string& why);
  void risks(double risk) { result_.risk = risk; }
  void choose_captured(std::size_t index) { result_.captured = index; }
  // Releases all contestants except the winner, and returns the result of the race with the
  // standing of each contestant (why it won or did not win).
  Result finish(std::optional<std::size_t> winner);

 private:
  // Records `calls` executions of a contestant into a CUDA graph, times the graph, and writes this
  // time into `sample`, in place of the time of as many eager executions. Does nothing if the host
  // issues the calls fast enough, unless the race already times all contestants in graphs
  // (settle_mode). Returns false if the contestant failed and is out of the race.
  bool time_in_graph(std::size_t index, std::size_t calls, Sample& sample);
  // Completes a batch that was timed: calls time_in_graph for it. Returns nothing if there is no
  // batch, or if the contestant is out of the race.
  std::optional<Sample> completed(std::size_t index, std::size_t calls,
                                  std::optional<Sample> sample);
  // Takes the contestant out of the race because it threw an exception, whose text becomes the
  // reason. Must be called in the catch block of this exception. The outcome is out_of_memory if
  // memory was short, and `otherwise` if not.
  void lose(std::size_t index, Outcome otherwise);
  // Returns the seconds since the beginning of the race.
  double elapsed() const { return device_.now() - start_; }
  // Tells the progress callback that this contestant is prepared, checked or timed next. Does
  // nothing if this contestant was also the last one that was reported.
  void tell_turn(std::size_t index);
  // Runs the check of a contestant. If the check fails, takes the contestant out of the race and
  // returns false.
  bool passes(std::size_t index);
  // Starts to compile, on another thread, the next contestant that has to be compiled and whose
  // turn is expected to pay. `current` is the contestant that is about to be prepared. Does nothing
  // if `current` itself has to be compiled, or if another contestant whose compilation has begun
  // still waits for its turn.
  void begin_compiling(std::size_t current);
  // Returns whether it pays to record a batch of `calls` calls of `seconds` each as a graph. False
  // if the batch is long and the contestant is so slow that it could not win even in a graph.
  bool is_worth_recording(std::size_t index, double seconds, std::size_t calls) const;
  void spent();  // notes in the result that the race ended early because the budget was spent
  void note(const std::string& sentence);
  // Writes into the result that the contestant is not executed again, because one execution took
  // longer than the budget. Returns this reason as text.
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
  double extra_ = 0;  // seconds by which the race may exceed its budget
  // Seconds from the beginning of the race until the default was prepared and checked.
  double default_took_ = 0;
  bool cancelled_ = false;
  bool out_of_time_ = false;
  bool in_graphs_ = false;
  bool company_ = false;  // true if other work was seen on the device
  // True if some candidates had no turn because the budget was spent.
  bool short_of_time_ = false;
  std::optional<std::size_t> kept_;
};

}  // namespace atc::tune
