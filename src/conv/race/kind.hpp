// A kind is a set of problems: if a kernel is wrong for one problem of a kind, it is wrong for all
// problems of this kind. So if a choice is made without a race, its kernel is checked once for each
// kind, and not for each problem.
#pragma once

#include <string>

#include "conv/chain.hpp"
#include "conv/choice.hpp"
#include "conv/options.hpp"

namespace atc::conv {

// A kind consists of the kernel, as its engine names it, and of the conditions on which known
// faults of kernels depend: direction, types, dimensions, epilogue, ending, groups, stride,
// dilation, whether the kernel reaches beyond the input, and whether there are elements that no
// window reaches. Sizes are not part of it.
std::string kind_of(const Choice& choice, const Chain& chain, const Problem& problem,
                    const Request& request);

// A problem of the same kind for which a check is cheap: it has fewer images and fewer windows. It
// has the same unreached elements at the end of x. Returns the problem itself if a check of it is
// cheap, or if its tensors are not dense.
Problem cheap_of_kind(const Problem& problem, DeviceId device);

}  // namespace atc::conv
