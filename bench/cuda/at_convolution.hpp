// LibTorch's convolution, for comparison with atc's calls.
#pragma once

#include <vector>

#include "atc/atc.h"
#include "turns.hpp"

namespace atc::bench {

// Returns two ways to run LibTorch's convolution of these operands, 3x3 with a padding of 1:
// without atc, and with atc installed. A build without LibTorch has none. The memory must outlive
// the ways.
std::vector<Way> at_convolution(const atc_tensor_view& x, const atc_tensor_view& w);

}  // namespace atc::bench
