// A list of problems decided one after the other, with progress and a report.
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
  std::string note;     // the id of its note, which is settled afterwards; "": none
  std::string refusal;  // why nothing can be decided; "": it can
};

// The note's problem, on its device, under its terms and with its knowledge; measured as `how`
// says. Refused if the store of the call that noted it is closed: nobody can use a decision.
TuningTask task_of(const NotedProblem& noted, const PlanOptions& how);
// `how` with the terms of `terms`: where these leave something open, `how` decides.
PlanOptions with_terms(const PlanOptions& terms, const PlanOptions& how);

// `total_seconds` bounds the whole list; infinity: no bound. Problems it does not reach come back
// as not_tuned. A problem that fails does not stop the others.
TuningReport tune_all(const std::vector<TuningTask>& tasks, double total_seconds,
                      const OnTuning& on_progress);
TuningReport tune_all(DeviceId device, const std::vector<Problem>& problems,
                      const PlanOptions& options, double total_seconds,
                      const OnTuning& on_progress);

}  // namespace atc::conv
