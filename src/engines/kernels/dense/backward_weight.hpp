// Gradients of dense filters in channels first by products of warpgroups (compute capability 9.0).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engines/engine.hpp"

namespace atc::dense {

// As Engine::offers and Engine::prepare, for backward-weight problems.
std::vector<Offer> backward_weight_offers(const Problem& problem, const Limits& limits,
                                          std::string& why_not);
std::unique_ptr<Prepared> prepare_backward_weight(const Problem& problem, const Limits& limits,
                                                  const std::string& configuration);

}  // namespace atc::dense
