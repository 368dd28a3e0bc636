// The struct behind the handle atc_tune_report: the report of a call of atc_tune.
#pragma once

#include <cstddef>
#include <optional>

#include "atc/tune.h"
#include "conv/decide/tuning.hpp"
#include "conv/together/tune_together.hpp"
#include "core/error.hpp"

struct atc_tune_report {
  atc::conv::TuningReport report;
  // Whether the ranks of the group (the processes of one job) have agreed on their decisions. Empty
  // if the call had no group.
  std::optional<atc::conv::GroupReport> group;

  const atc::conv::TunedProblem& at(std::size_t index) const {
    if (index >= report.problems.size())
      atc::fail(atc::Status::invalid_argument, "the problem's index is {}, the report has {}",
                index, report.problems.size());
    return report.problems[index];
  }
};
