// Engine `aten`: LibTorch's own convolution as one more candidate.
#pragma once

namespace atc_torch {

inline constexpr const char* kAtenEngine = "aten";

// Once per process; throws Failure.
void register_aten_engine();

// Whether a plan's choice ("engine@version:configuration") is LibTorch's own.
bool is_aten(const char* choice);

}  // namespace atc_torch
