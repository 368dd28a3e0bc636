// Learns from the races of this process for layers with a group for each channel: which kernels are
// hopeless there, such as those that take one launch or more for each group, and whether compiling
// is in vain.
#pragma once

#include <string>

#include "conv/decision.hpp"
#include "conv/options.hpp"
#include "core/problem.hpp"

namespace atc::conv {

// Whether all candidates of this kin (tune::Contestant::kin) that raced were hopeless, in each of
// the last two races or more of such layers with the same direction, formats and layout and as many
// groups or fewer. False for other problems, and where the request does not widen (Request::widen).
bool are_known_hopeless(const std::string& kin, const Problem& problem, const Request& request);

// Whether even the best candidate that compiled was plainly behind, in each of the last two races
// or more of such layers in which any compiled. False in the same cases as are_known_hopeless.
bool is_compiled_in_vain(const Problem& problem, const Request& request);

// Remembers the result of a race.
void remember_hopeless_kin(const Problem& problem, const Request& request,
                           const Decision& decision);

}  // namespace atc::conv
