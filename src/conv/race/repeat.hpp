// Tests whether a candidate that counts as deterministic really is. The candidate runs several
// times on the same operands, while other work runs on the device. It must compute the same bits
// each time.
#pragma once

#include <string>

#include "conv/race/site.hpp"
#include "core/problem.hpp"
#include "engines/engine.hpp"

namespace atc::conv {

// Returns "" if all executions have the same bits. Otherwise returns a sentence about the first
// execution whose result differs from the one before. The first execution runs alone. A candidate
// that takes long is executed fewer times, but at least twice. The output operand is not changed.
// Throws what execute throws.
std::string difference_of_repeats(Prepared& prepared, const Problem& problem,
                                  const Operands& operands, void* workspace, Site& site);

}  // namespace atc::conv
