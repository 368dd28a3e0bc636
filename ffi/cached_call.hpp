// The key of a call in the cache of plans. The cache compares the bytes of keys: two calls with
// equal bytes may share a plan.
#pragma once

#include "atc/conv.h"

namespace atc::ffi {

// The key of a call with options. The key of a call without options is the problem alone.
struct CachedCall {
  atc_conv_problem problem;
  atc_conv_options options;
};

// Each function returns a checked copy of the caller's struct. In the copy, the fields that do not
// affect the convolution are zero. Throws Error(invalid_argument) if the struct is not valid.
atc_conv_problem comparable_problem(const atc_conv_problem* given);
atc_conv_options comparable_options(const atc_conv_options* given);  // NULL: the default options

}  // namespace atc::ffi
