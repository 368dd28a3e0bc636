// The reference engine's computations on a CUDA device.
#pragma once

#include <vector>

#include "device/cuda/driver_api.hpp"
#include "engines/reference/position.hpp"

namespace atc::reference {

// Returns, for each of `indices`, the value that value_at() (position.hpp) would return for this
// element of the output. The operands are in device memory. The work runs on the stream, and the
// function waits for it. The CUDA context must be current.
std::vector<ElementValue> device_values(const Problem& problem, const Operands& operands,
                                        const std::vector<Index>& indices, DeviceId device,
                                        cuda::Context context, Stream stream);

// Computes the whole output with sums in double precision. Enqueues the work on the stream. The
// CUDA context must be current.
void convolve_on_device(const Problem& problem, const Operands& operands, cuda::Context context,
                        Stream stream);
// Computes the same as convolve_on_device, but faster. The operands must not contain Inf or NaN.
// Allocates up to 16 MiB on the device for partial sums of the gradient of the weights.
void convolve_finite_on_device(const Problem& problem, const Operands& operands, DeviceId device,
                               cuda::Context context, Stream stream);

}  // namespace atc::reference
