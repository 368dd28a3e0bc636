// Gradients of depthwise weights by kernels of atc's own.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engines/engine.hpp"

namespace atc::depthwise {

// As Engine::offers and Engine::prepare, for backward-weight problems with as many groups as x has
// channels.
std::vector<Offer> backward_weight_offers(const Problem& problem, const Limits& limits,
                                          std::string& why_not);
std::unique_ptr<Prepared> prepare_backward_weight(const Problem& problem, const Limits& limits,
                                                  const std::string& configuration);

}  // namespace atc::depthwise
