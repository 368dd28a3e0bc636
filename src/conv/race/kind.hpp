// A kind is a set of problems with this property: if a kernel computes wrong results for one
// problem of a kind, it does so for all of them. So a choice that was not measured by a race is
// checked once for each kind, and not for each problem.
#pragma once

#include <string>

#include "conv/chain.hpp"
#include "conv/choice.hpp"
#include "conv/options.hpp"

namespace atc::conv {

// Returns the text that identifies a kind. A kind consists of the name that the engine gives the
// kernel, and of the conditions on which known faults of kernels depend: direction, types,
// dimensions, epilogue, post-ops, groups, stride, dilation, whether the kernel is longer than the
// input, which side has more padding, the allowed precision, and whether x has elements that no
// window reaches. Sizes are not part of a kind.
std::string kind_of(const Choice& choice, const Chain& chain, const Problem& problem,
                    const Request& request);

// Returns a smaller problem of the same kind, so that a check is cheap: the returned problem has
// fewer images and fewer windows. It has the same number of unreached elements at the end of x.
// Returns the problem itself if a check of the problem is cheap, or if its tensors are not dense.
Problem cheap_of_kind(const Problem& problem, DeviceId device);

}  // namespace atc::conv
