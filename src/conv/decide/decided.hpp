// A decision that can be executed: the decision, the chain of its choice (rewrites and engine), and
// the prepared form of the chain.
#pragma once

#include <memory>

#include "conv/chain.hpp"
#include "conv/decision.hpp"
#include "engines/engine.hpp"

namespace atc::conv {

struct Decided {
  std::shared_ptr<const Decision> decision;
  Chain chain;
  std::unique_ptr<Prepared> prepared;  // null if the request asks for a decision without a plan
  bool missed = false;  // the problem had no decision of its own, and the call has noted it
};

}  // namespace atc::conv
