// A decision that can be executed: the decision, the chain of its choice (the rewrites and the
// engine), and the chain built for the problem.
#pragma once

#include <memory>

#include "conv/chain.hpp"
#include "conv/decision.hpp"
#include "engines/engine.hpp"

namespace atc::conv {

struct Decided {
  std::shared_ptr<const Decision> decision;
  Chain chain;
  // The executable convolution that was built from `chain` for the problem; null if the request
  // wants no plan.
  std::unique_ptr<Prepared> prepared;
  // true if the problem had no decision, and was noted so that the user can tune it later
  bool missed = false;
};

}  // namespace atc::conv
