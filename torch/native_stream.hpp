// Converts a stream of LibTorch to a stream of the CUDA driver (CUstream).
#pragma once

#include <c10/core/Stream.h>

namespace atc_torch {

// Returns the driver's stream (CUstream). Throws c10::Error if LibTorch has no CUDA.
void* native_stream(const c10::Stream& stream);

}  // namespace atc_torch
