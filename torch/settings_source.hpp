// Connects the settings of libatc with LibTorch's switches, so that both libraries have the same
// values.
#pragma once

#include <cstdint>

#include "options.hpp"

namespace atc_torch {

// From this call on, libatc reads and sets the switches of at::globalContext() and LibTorch's
// seeds, and allocates CPU memory by LibTorch's allocator.
void take_over_settings();

// Returns a copy of `options`. If `deterministic` or `allow_tf32` is 0 in `options`, the copy has
// the current value of LibTorch's switch in its place. Any thread may call this function. It is
// cheap enough to be called for each convolution.
Options with_switches_of_now(Options options);

void set_fill_uninitialized_memory(bool enabled);
bool fill_uninitialized_memory();
void set_float32_matmul_precision(atc_torch_precision precision);  // throws Failure
atc_torch_precision float32_matmul_precision();                    // throws Failure

}  // namespace atc_torch
