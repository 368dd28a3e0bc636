// Whether a candidate that is said to be deterministic is: it runs several times on the same
// operands, with other work beside it, and has to repeat its bits.
#pragma once

#include <string>

#include "conv/race/site.hpp"
#include "core/problem.hpp"
#include "engines/engine.hpp"

namespace atc::conv {

// Empty, or a sentence about the first execution whose result has other bits than the one before.
// The first execution runs alone, and a candidate that takes long runs fewer times, but twice at
// least. The output operand stays as it is. Throws what execute throws.
std::string difference_of_repeats(Prepared& prepared, const Problem& problem,
                                  const Operands& operands, void* workspace, Site& site);

}  // namespace atc::conv
