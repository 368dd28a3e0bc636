// The reference's results of a convolution whose operands are on a CUDA device.
#pragma once

#include <vector>

#include "device/cuda/driver_api.hpp"
#include "engines/reference/position.hpp"

namespace atc::reference {

// As value_at, for many positions, computed on the stream; waits for the stream. The context must
// be current.
std::vector<ElementValue> device_values(const Problem& problem, const Operands& operands,
                                        const std::vector<Index>& indices, DeviceId device,
                                        cuda::Context context, Stream stream);

// Runs the problem on the stream, sums in double. The context must be current.
void convolve_on_device(const Problem& problem, const Operands& operands, cuda::Context context,
                        Stream stream);

}  // namespace atc::reference
