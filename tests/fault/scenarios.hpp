// Scenarios in which tests let calls of the driver and of cuDNN fail. Each scenario runs a
// convolution in another way; together they cover all ways that atc has.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "fault/support.hpp"

namespace atc::fault {

// The result of a scenario: the status and the error text that atc returned, and, for each
// candidate that was not chosen, the reason.
struct Ending {
  atc_status status = ATC_OK;
  std::string text;
  std::vector<std::string> reasons;

  bool tells_of(const std::string& call) const;
};

struct Scenario {
  const char* name;
  // Runs the scenario. The test fails if the scenario returns ATC_OK but the output is wrong.
  Ending (*run)(Layer& layer);
  // If the scenario returns ATC_OK: whether its result has, for each candidate that was not chosen,
  // the reason.
  bool gives_reasons = true;
  // True if plans of cuDNN remain until the process ends, because a graph may run their kernels.
  bool keeps_plans = false;
};

extern const Scenario kTune, kPlan, kConstantWeights, kEager, kCaptured;

// Returns the name that error texts use for a call: for example cudnnBackendFinalize for the call
// "cudnnBackendFinalize plan", and cuMemcpyHtoDAsync for cuMemcpyHtoDAsync_v2.
std::string function_of(const std::string& call);

// Returns whether atc may return ATC_OK without an error text although the call `call` of the
// driver or of cuDNN has failed. `next` is the first call that succeeded after `call`. The result
// is true in three cases: `call` frees something; `call` is only needed for an optional
// improvement; or `call` asks one mode of cuDNN's heuristics, because a mode may have no proposal.
bool may_fail_unseen(const std::string& call, const std::string& next);

// Returns the statuses that atc may return if the driver or cuDNN has returned `status`.
std::vector<atc_status> statuses_of(Part part, int status);

}  // namespace atc::fault
