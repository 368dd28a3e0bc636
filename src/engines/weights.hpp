// A check that a call has weights, passed or set before.
#pragma once

#include "core/error.hpp"

namespace atc {

// Throws Error(invalid_argument) if `w` is null. `w`: the weights passed to a call, or else those
// set before.
inline void require_weights(const void* w) {
  if (w == nullptr)
    fail(Status::invalid_argument,
         "w is null and no weights were set: pass w or call set_weights first");
}

}  // namespace atc
