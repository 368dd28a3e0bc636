// Computes the reference's results of a convolution whose operands are on a CUDA device.
#pragma once

#include <vector>

#include "device/cuda/driver_api.hpp"
#include "engines/reference/position.hpp"

namespace atc::reference {

// The same as value_at (position.hpp), for many positions, computed on the stream. Waits for the
// stream. The CUDA context must be current.
std::vector<ElementValue> device_values(const Problem& problem, const Operands& operands,
                                        const std::vector<Index>& indices, DeviceId device,
                                        cuda::Context context, Stream stream);

// Computes the whole output on the stream, with sums in double precision. The CUDA context must be
// current.
void convolve_on_device(const Problem& problem, const Operands& operands, cuda::Context context,
                        Stream stream);
// The same, and faster, for operands without Inf and NaN.
void convolve_finite_on_device(const Problem& problem, const Operands& operands,
                               cuda::Context context, Stream stream);

}  // namespace atc::reference
