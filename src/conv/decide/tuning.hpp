// A list of problems decided one after the other, with progress and a report.
#pragma once

#include <string>
#include <vector>

#include "conv/decision.hpp"
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

// `total_seconds` bounds the whole list; infinity: no bound. Problems it does not reach come back
// as not_tuned. A problem that fails does not stop the others.
TuningReport tune_all(DeviceId device, const std::vector<Problem>& problems, PlanOptions options,
                      double total_seconds, const OnTuning& on_progress);

}  // namespace atc::conv
