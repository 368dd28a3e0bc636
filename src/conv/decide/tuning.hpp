// Tunes a list of problems, one after the other. Progress is reported, and a report is returned.
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
  std::string choice;  // the choice as text; "" if there is none
  std::string why;     // the member `why` of the decision, or the text of the error
  Decision decision;   // valid only if `status` is Status::ok
  double seconds = 0;
};

struct TuningReport {
  std::vector<TunedProblem> problems;
  bool cancelled = false;
};

// A problem that has to be decided.
struct TuningTask {
  DeviceId device;
  Problem problem;
  PlanOptions options;  // tune_all sets `tune` itself
  // The id of the problem's note (noted.hpp). After tuning, the note is removed, or marked as
  // failed. "" if the problem was not noted.
  std::string note;
  std::string refusal;  // the reason why the problem cannot be decided; "" if it can be decided
};

// Returns the task that decides a noted problem. The device, the store and the options that
// restrict the results are those of the call that noted the problem. `how` gives the options of
// measuring, such as the budget. If the store of that call is closed, `refusal` of the task is set,
// because no call could use the decision.
TuningTask task_of(const NotedProblem& noted, const PlanOptions& how);
// Returns the options `how`, but with the restrictions of `terms` on the results. An option that is
// set in `terms` has the value of `terms`. There are two exceptions. allow_reference is true only
// if it is true in `terms` and in `how`. The other switches (options that are on or off) are true
// if they are true in `terms` or in `how`.
PlanOptions with_terms(const PlanOptions& terms, const PlanOptions& how);

// From now on this process refuses the choice for the problem under these options. `reason` is the
// caller's reason, for messages.
void refuse(const Problem& problem, DeviceId device, const PlanOptions& options,
            const Choice& choice, const std::string& reason);

// Tunes all tasks. `total_seconds` is the budget of the whole list; infinity: there is no limit. A
// problem that comes after the end of the budget has the status not_tuned. If one problem fails,
// the others are tuned nevertheless. But the whole call throws Error(capturing) if the stream is
// being captured.
TuningReport tune_all(const std::vector<TuningTask>& tasks, double total_seconds,
                      const OnTuning& on_progress);
TuningReport tune_all(DeviceId device, const std::vector<Problem>& problems,
                      const PlanOptions& options, double total_seconds,
                      const OnTuning& on_progress);

}  // namespace atc::conv
