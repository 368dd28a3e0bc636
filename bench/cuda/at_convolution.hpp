// LibTorch's convolution, for comparison with atc's calls.
#pragma once

#include <vector>

#include "atc/atc.h"
#include "turns.hpp"

namespace atc::bench {

// Returns two ways to run LibTorch's 3x3 convolution of x and w with a padding of 1: without atc,
// and with atc installed. In a build without LibTorch, the result is empty. The memory of x and w
// must exist as long as the returned ways.
std::vector<Way> at_convolution(const atc_tensor_view& x, const atc_tensor_view& w);

}  // namespace atc::bench
