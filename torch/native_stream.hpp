// The stream of the CUDA driver behind a stream of LibTorch.
#pragma once

#include <c10/core/Stream.h>

namespace atc_torch {

// Throws c10::Error if LibTorch has no CUDA.
void* native_stream(const c10::Stream& stream);

}  // namespace atc_torch
