// Checks that an execution has weights, either passed to the call or set before the call.
#pragma once

#include "core/error.hpp"

namespace atc {

// Throws Error(invalid_argument) if `w` is null. The caller passes the weights of the call or, if
// the call has none, the weights that were set before.
inline void require_weights(const void* w) {
  if (w == nullptr)
    fail(Status::invalid_argument,
         "w is null and no weights were set: pass w or call set_weights first");
}

}  // namespace atc
