// Keeps the decision of an exploration.
#pragma once

#include "conv/beside/layer.hpp"

namespace atc::conv::beside {

// Keeps the decision in the process's memory and in the store of the calls, and lets the calls use
// it. Cached plans of other problems stay as they are. Returns false if there is no decision.
bool keep_decision(Layer& layer);

}  // namespace atc::conv::beside
