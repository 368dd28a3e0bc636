// Progress callbacks of the C boundary as functions of the core.
#pragma once

#include "atc/conv.h"
#include "conv/progress.hpp"

namespace atc::ffi {

// Empty for NULL.
conv::OnTuning to_on_tuning(atc_tune_callback callback, void* payload);

}  // namespace atc::ffi
