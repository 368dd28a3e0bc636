// Makes LibTorch's switches the settings of libatc.
#pragma once

#include <cstdint>

#include "options.hpp"

namespace atc_torch {

// Connects libatc with the switches of at::globalContext(), LibTorch's seeds and its memory.
void take_over_settings();

// Returns `options` in which every option that was left to a switch has the switch's current value.
// Any thread may call this. It is cheap.
Options with_switches_of_now(Options options);

void set_fill_uninitialized_memory(bool enabled);
bool fill_uninitialized_memory();
void set_float32_matmul_precision(atc_torch_precision precision);  // throws Failure
atc_torch_precision float32_matmul_precision();                    // throws Failure

}  // namespace atc_torch
