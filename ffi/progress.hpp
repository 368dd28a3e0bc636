// Wraps a progress callback of the C interface in a function that the core calls while it tunes.
#pragma once

#include "atc/conv.h"
#include "conv/progress.hpp"

namespace atc::ffi {

// Returns a function that calls `callback` and passes `payload` to it. If `callback` is NULL,
// returns an empty std::function.
conv::OnTuning to_on_tuning(atc_tune_callback callback, void* payload);

}  // namespace atc::ffi
