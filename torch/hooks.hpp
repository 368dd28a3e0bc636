// Hooks: functions that LibTorch's dispatcher calls for each convolution in place of LibTorch's own
// functions. The hooks are registered once and never removed. install() and uninstall() switch them
// on and off.
#pragma once

#include "options.hpp"

namespace atc_torch {

// Registers the hooks that are not registered yet: those for the CPU and, if libtorch_cuda is
// loaded, those for CUDA.
void register_hooks();

void install(const Options& options);
void uninstall();
bool is_installed();

// Sets whether the hooks pass each convolution to the recorder (recorder.hpp).
void set_recording(bool on);

}  // namespace atc_torch
