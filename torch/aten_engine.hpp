// The engine `aten` makes LibTorch's own convolution a candidate for libatc. So a race (the timing
// of candidates) compares it with libatc's implementations.
#pragma once

namespace atc_torch {

inline constexpr const char* kAtenEngine = "aten";

// Registers the engine `aten` (LibTorch's own convolution) at the first call. Further calls do
// nothing. Throws Failure.
void register_aten_engine();

// Allows the engine to load libtorch_cuda when a convolution on a CUDA device needs it. Called for
// programs that load the bridge as a plug-in of libatc and do not use LibTorch themselves.
void let_aten_engine_load_cuda();

// Returns whether a plan's choice ("engine@version:configuration") is LibTorch's own convolution.
bool is_aten(const char* choice);

}  // namespace atc_torch
