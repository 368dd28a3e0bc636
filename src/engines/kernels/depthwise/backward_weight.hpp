// Gradients of depthwise filters.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/problem.hpp"
#include "engines/engine.hpp"

namespace atc::depthwise {

// Best first; empty where none is right for the problem, which `why_not` then says.
std::vector<Offer> backward_weight_offers(const Problem& problem, const Limits& limits,
                                          std::string& why_not);

// Throws Error(unsupported) for a configuration that is not among the offers.
std::unique_ptr<Prepared> prepare_backward_weight(const Problem& problem, const Limits& limits,
                                                  const std::string& configuration);

}  // namespace atc::depthwise
