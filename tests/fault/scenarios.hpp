// What is done while calls fail: each of the ways to a convolution.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "fault/support.hpp"

namespace atc::fault {

// How it ended: a status with its sentence, and the reasons of the candidates that were not taken.
struct Ending {
  atc_status status = ATC_OK;
  std::string text;
  std::vector<std::string> reasons;

  bool tells_of(const std::string& call) const;
};

struct Scenario {
  const char* name;
  // Ends well only with the right output, else fails the test.
  Ending (*run)(Layer& layer);
  bool gives_reasons = true;  // where it ends well
  bool keeps_plans = false;   // of cuDNN's, for good: a graph may run their kernels
};

extern const Scenario kTune, kPlan, kConstantWeights, kEager, kCaptured;

// The name of a call as sentences have it: "cudnnBackendFinalize plan" is cudnnBackendFinalize,
// cuMemcpyHtoDAsync_v2 without its version.
std::string function_of(const std::string& call);

// Whether a call may fail unseen, given the one after it: what gives back, what only asks for an
// advantage, and the heuristics' modes, of which each may have no answer.
bool may_fail_unseen(const std::string& call, const std::string& next);

// The statuses that a call that failed with this one may end in.
std::vector<atc_status> statuses_of(Part part, int status);

}  // namespace atc::fault
