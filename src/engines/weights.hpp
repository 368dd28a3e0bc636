// A check that a call has weights: passed to the call, or set before.
#pragma once

#include "core/error.hpp"

namespace atc {

// Throws Error(invalid_argument) if `w` is null. `w` must be the weights passed to a call or, if
// there are none, the weights set before.
inline void require_weights(const void* w) {
  if (w == nullptr)
    fail(Status::invalid_argument,
         "w is null and no weights were set: pass w or call set_weights first");
}

}  // namespace atc
