// Wraps a progress callback of the C interface in a function that the core calls while it tunes.
#pragma once

#include "atc/conv.h"
#include "conv/progress.hpp"

namespace atc::ffi {

// Returns an empty std::function if `callback` is NULL. `payload` is passed to each call of the
// callback.
conv::OnTuning to_on_tuning(atc_tune_callback callback, void* payload);

}  // namespace atc::ffi
