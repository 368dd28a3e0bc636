// Executions of a choice at other sizes than its problem's: an engine may be suspected of results
// that depend on what it computed before (Engine::remembers_sizes).
#pragma once

#include <cstddef>
#include <vector>

#include "conv/chain.hpp"
#include "conv/race/site.hpp"

namespace atc::conv {

// The problem with about half its spatial extents (if this leaves an output), and with about twice
// its spatial extents. The larger problem has a smaller batch, and doubles only as many dimensions
// as that allows, so that it takes at most about twice the memory.
std::vector<Problem> other_sizes(const Problem& problem);

// Builds the choice for each of the other sizes and executes it once, on operands of its own.
// Returns the number of executions. Sizes at which it cannot be built, allocated or executed are
// left out.
std::size_t run_other_sizes(const Chain& chain, const Choice& choice, const Problem& problem,
                            const Limits& limits, Site& site);

}  // namespace atc::conv
