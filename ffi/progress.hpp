// Turns a progress callback of the C interface into a function for the core.
#pragma once

#include "atc/conv.h"
#include "conv/progress.hpp"

namespace atc::ffi {

// Empty for NULL.
conv::OnTuning to_on_tuning(atc_tune_callback callback, void* payload);

}  // namespace atc::ffi
