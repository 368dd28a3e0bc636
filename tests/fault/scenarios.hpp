// The scenarios in which calls fail. Together they run a convolution in every way.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "fault/support.hpp"

namespace atc::fault {

// The result: a status with its text, and the reasons of the candidates that were not chosen.
struct Ending {
  atc_status status = ATC_OK;
  std::string text;
  std::vector<std::string> reasons;

  bool tells_of(const std::string& call) const;
};

struct Scenario {
  const char* name;
  // Runs the scenario. The test fails if the scenario ends well with a wrong output.
  Ending (*run)(Layer& layer);
  bool gives_reasons = true;  // where it ends well
  bool keeps_plans = false;   // true if plans of cuDNN are kept for ever, since a graph may run
                              // their kernels
};

extern const Scenario kTune, kPlan, kConstantWeights, kEager, kCaptured;

// The name of a call in error texts: cudnnBackendFinalize for "cudnnBackendFinalize plan",
// cuMemcpyHtoDAsync for cuMemcpyHtoDAsync_v2.
std::string function_of(const std::string& call);

// Whether a call may fail without an error of atc, given the next call: calls that free something,
// calls for optional improvements, and the heuristics' modes, each of which may have no proposal.
bool may_fail_unseen(const std::string& call, const std::string& next);

// The statuses of atc that may follow from this status of the driver or of cuDNN.
std::vector<atc_status> statuses_of(Part part, int status);

}  // namespace atc::fault
