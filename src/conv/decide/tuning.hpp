// Tunes a list of problems, one after the other, with progress and a report.
#pragma once

#include <string>
#include <vector>

#include "conv/decision.hpp"
#include "conv/noted.hpp"
#include "conv/options.hpp"
#include "conv/progress.hpp"
#include "core/error.hpp"

namespace atc::conv {

struct TunedProblem {
  Status status = Status::ok;
  std::string description;
  std::string choice;  // "" where there is none
  std::string why;     // the decision's `why`, or the error's text
  Decision decision;   // holds for Status::ok
  double seconds = 0;
};

struct TuningReport {
  std::vector<TunedProblem> problems;
  bool cancelled = false;
};

// A problem to be decided.
struct TuningTask {
  DeviceId device;
  Problem problem;
  PlanOptions options;  // tune_all sets `tune`
  // The id of the problem's note, which is settled after tuning; "" if it has no note.
  std::string note;
  std::string refusal;  // why the problem cannot be decided; "" if it can
};

// Returns the task to decide a problem that a call has noted. The task has the device, the options
// and the knowledge of that call; `how` adds how to measure. If the store of that call is closed,
// the task is refused, because no call could use the decision.
TuningTask task_of(const NotedProblem& noted, const PlanOptions& how);
// Returns `how` with the options that are set in `terms`. Options that `terms` leaves open are
// those of `how`.
PlanOptions with_terms(const PlanOptions& terms, const PlanOptions& how);

// Makes this process refuse a choice for a problem under these options, for a reason of the caller.
void refuse(const Problem& problem, DeviceId device, const PlanOptions& options,
            const Choice& choice, const std::string& reason);

// `total_seconds` is the budget of the whole list; infinity: no budget. If the budget ends before a
// problem, its result is not_tuned. If a problem fails, the others are tuned nevertheless.
TuningReport tune_all(const std::vector<TuningTask>& tasks, double total_seconds,
                      const OnTuning& on_progress);
TuningReport tune_all(DeviceId device, const std::vector<Problem>& problems,
                      const PlanOptions& options, double total_seconds,
                      const OnTuning& on_progress);

}  // namespace atc::conv
