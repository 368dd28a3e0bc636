// A decision that can run: the decision, the chain of its choice, and its prepared form.
#pragma once

#include <memory>

#include "conv/chain.hpp"
#include "conv/decision.hpp"
#include "engines/engine.hpp"

namespace atc::conv {

struct Decided {
  std::shared_ptr<const Decision> decision;
  Chain chain;
  std::unique_ptr<Prepared> prepared;  // null where the request wants no plan
};

}  // namespace atc::conv
