// The weights of a call, or those that were set before it.
#pragma once

#include "core/error.hpp"

namespace atc {

// Throws Error(invalid_argument) for null: `w` is what a call passed, or else what was set.
inline void require_weights(const void* w) {
  if (w == nullptr)
    fail(Status::invalid_argument,
         "w is null and no weights were set: pass w or call set_weights first");
}

}  // namespace atc
