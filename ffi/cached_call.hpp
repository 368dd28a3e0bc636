// A call's key in the cache of plans (convolutions that are ready for execution). The cache
// compares keys byte by byte: two calls whose keys have equal bytes may use the same plan.
#pragma once

#include "atc/conv.h"

namespace atc::ffi {

// The key of a call with options. The key of a call without options is the problem alone.
struct CachedCall {
  atc_conv_problem problem;
  atc_conv_options options;
};

// Each function returns a copy of the caller's struct. In the copy, bytes without a meaning are
// zero (for example the strides if the layout is not strided), so that equal calls have equal keys.
// Throws Error(invalid_argument) if struct_size is not valid. The values of the fields are not
// checked here.
atc_conv_problem comparable_problem(const atc_conv_problem* given);
// If the caller's options are NULL, comparable_options returns the default options.
atc_conv_options comparable_options(const atc_conv_options* given);

}  // namespace atc::ffi
