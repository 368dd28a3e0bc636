// What the races of this process have shown of layers with a group for each channel: whose kernels
// are hopeless there, as those are that take one launch or more for each group, and whether
// compiling is in vain.
#pragma once

#include <string>

#include "conv/decision.hpp"
#include "conv/options.hpp"
#include "core/problem.hpp"

namespace atc::conv {

// Whether all that raced of these kin (tune::Contestant::kin) were hopeless in the last two races
// or more of such layers with the same direction, formats and layout and as many groups or fewer.
// False for other problems, and where somebody wants more than what races by default.
bool are_known_hopeless(const std::string& kin, const Problem& problem, const Request& request);

// Whether the best of all that compiled was plainly behind in the last two races or more of such
// layers in which any did; false where are_known_hopeless is.
bool is_compiled_in_vain(const Problem& problem, const Request& request);

// Takes in what a race has shown.
void learn(const Problem& problem, const Request& request, const Decision& decision);

}  // namespace atc::conv
