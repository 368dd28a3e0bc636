// Tests whether a candidate that is declared deterministic computes the same bits in each
// execution. The candidate is executed several times on the same operands, while other work keeps
// the device busy.
#pragma once

#include <string>

#include "conv/race/site.hpp"
#include "core/problem.hpp"
#include "engines/engine.hpp"

namespace atc::conv {

// Returns "" if all executions compute the same bits. Otherwise returns a sentence about the first
// execution whose result differs from the result of the first one. The first execution runs without
// other work. If the executions take long, there are fewer of them, but at least two. The output
// operand is not changed. Errors of execute are passed on.
std::string difference_of_repeats(Prepared& prepared, const Problem& problem,
                                  const Operands& operands, void* workspace, Site& site);

}  // namespace atc::conv
