// The bytes by which the plan cache identifies a call: equal for calls that may share a plan.
#pragma once

#include "atc/conv.h"

namespace atc::ffi {

// The key of a call with options in the cache of plans. (The key of a call without options is the
// bytes of its problem.)
struct CachedCall {
  atc_conv_problem problem;
  atc_conv_options options;
};

// Return checked copies in which all fields that the convolution does not depend on are zero. Throw
// Error(invalid_argument).
atc_conv_problem comparable_problem(const atc_conv_problem* given);
atc_conv_options comparable_options(const atc_conv_options* given);  // may be null

}  // namespace atc::ffi
