// Runs a choice at other sizes than those of its problem. Some engines may compute wrong results
// after they have run a problem of another size (Engine::remembers_sizes). So their choices are
// checked once more after these runs.
#pragma once

#include <cstddef>
#include <vector>

#include "conv/chain.hpp"
#include "conv/race/site.hpp"

namespace atc::conv {

// Returns at most two problems of other sizes. The first problem has about half of each spatial
// extent, but at least enough for one output; this problem is left out if no extent becomes
// smaller. The second problem has twice the last extent. Its other extents are doubled, too, as
// long as the batch is above 1, and for each doubled extent the batch is halved. So the second
// problem needs at most about twice the memory.
std::vector<Problem> other_sizes(const Problem& problem);

// Builds the choice for each of the other sizes and executes it once, on newly allocated operands.
// A size at which the choice cannot be built, allocated or executed is left out. Returns the number
// of executions.
std::size_t run_other_sizes(const Chain& chain, const Choice& choice, const Problem& problem,
                            const Limits& limits, Site& site);

}  // namespace atc::conv
