// The ending of a convolution: its fields in atc_conv_problem, and core/ending.hpp.
#pragma once

#include "atc/conv.h"
#include "core/problem.hpp"

namespace atc::ffi {

// Throws Error(invalid_argument) with the field and its value in the text. The other enums of `p`
// have been checked.
void check_ending(const atc_conv_problem& p);

// Sets the epilogue and the ending of the problem. Two descriptions of the same arithmetic become
// one: a bias and a ReLU without more are Epilogue::bias_relu, and ReLU6 is a clamp.
void set_ending(Problem& problem, const atc_conv_problem& p);

// The fields from which set_ending makes the ending again.
void write_ending(atc_conv_problem& p, const Ending& ending);

}  // namespace atc::ffi
