// Engine `aten`: LibTorch's own convolution as a candidate of races.
#pragma once

namespace atc_torch {

inline constexpr const char* kAtenEngine = "aten";

// Once per process; throws Failure.
void register_aten_engine();

// For programs that use nothing of LibTorch but this engine. From then on the engine may load
// libtorch_cuda when it is asked for a CUDA device.
void let_aten_engine_load_cuda();

// Whether a plan's choice ("engine@version:configuration") is LibTorch's own.
bool is_aten(const char* choice);

}  // namespace atc_torch
