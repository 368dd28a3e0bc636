// The kind of a problem and a kernel: kernels that are wrong are wrong for a kind, and not for one
// problem. A choice without a race is checked once per kind.
#pragma once

#include <string>

#include "conv/chain.hpp"
#include "conv/choice.hpp"
#include "conv/options.hpp"

namespace atc::conv {

// The kernel by its engine's own word, and the conditions on which known faults of kernels depend:
// direction, types, dimensions, epilogue, groups, stride, dilation, a kernel beyond the input, and
// elements that no window reaches. Sizes are not part of it.
std::string kind_of(const Choice& choice, const Chain& chain, const Problem& problem,
                    const Request& request);

// A problem of the same kind on which a check is cheap: fewer images and fewer windows. Unreached
// elements at the end of x are the same. The problem itself where it is cheap, or where its tensors
// are not dense.
Problem cheap_of_kind(const Problem& problem, DeviceId device);

}  // namespace atc::conv
