// Runs a choice at other sizes than its problem's. An engine whose results are suspected to depend
// on earlier sizes (Engine::remembers_sizes) is checked again after that.
#pragma once

#include <cstddef>
#include <vector>

#include "conv/chain.hpp"
#include "conv/race/site.hpp"

namespace atc::conv {

// Two other problems. The first has about half the spatial extents, but enough for one
// output (left out if nothing shrinks). The second doubles the last extent, and each other
// one while the batch, which is halved for each, is above 1: it takes at most about twice
// the memory.
std::vector<Problem> other_sizes(const Problem& problem);

// Builds the choice for each of the other sizes and executes it once, on operands of its own.
// Returns the number of executions. Sizes at which it cannot be built, allocated or executed are
// left out.
std::size_t run_other_sizes(const Chain& chain, const Choice& choice, const Problem& problem,
                            const Limits& limits, Site& site);

}  // namespace atc::conv
