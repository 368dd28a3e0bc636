// The engine `aten` offers LibTorch's own convolution as a candidate, so that races (the timing of
// candidates) compare it with the implementations of libatc.
#pragma once

namespace atc_torch {

inline constexpr const char* kAtenEngine = "aten";

// Registers the engine at the first call. Further calls do nothing. Throws Failure.
void register_aten_engine();

// Allows the engine to load libtorch_cuda when the engine is used for a CUDA device. For programs
// that use LibTorch only through this engine.
void let_aten_engine_load_cuda();

// Whether a plan's choice ("engine@version:configuration") is LibTorch's own convolution.
bool is_aten(const char* choice);

}  // namespace atc_torch
