// Runs a choice at other sizes than those of its problem. The results of some engines are suspected
// to change after other sizes have run (Engine::remembers_sizes). Their choices are checked again
// after these runs.
#pragma once

#include <cstddef>
#include <vector>

#include "conv/chain.hpp"
#include "conv/race/site.hpp"

namespace atc::conv {

// Returns two other problems. The first has about half of each spatial extent, but enough for one
// output. It is left out if no extent becomes smaller. The second has twice the last extent. Each
// other extent is also doubled as long as the batch is above 1; the batch is halved each time. So
// the second problem takes at most about twice the memory.
std::vector<Problem> other_sizes(const Problem& problem);

// Builds the choice for each of the other sizes and executes it once, on operands of its own. If it
// cannot be built, allocated or executed at a size, this size is left out. Returns the number of
// executions.
std::size_t run_other_sizes(const Chain& chain, const Choice& choice, const Problem& problem,
                            const Limits& limits, Site& site);

}  // namespace atc::conv
