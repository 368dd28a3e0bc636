// atc's own helper kernels. They are compiled at build time, embedded in libatc, and loaded into a
// context at their first use.
#pragma once

#include "device/cuda/driver_api.hpp"

namespace atc::cuda {

// The fatbins (code for several devices) with the helper kernels. The fatbins are embedded in a
// build that has a CUDA compiler.
extern const unsigned char kTensorKernels[];
extern const unsigned char kTimingKernels[];
extern const unsigned char kReferenceKernels[];

// Returns the kernel of this name in this context. Loads the image if it is not loaded yet. Loaded
// modules are never unloaded, because a captured graph may use their kernels. Throws Error(device),
// or Error(library) if the driver has no code for the device.
Function kernel(Context context, const unsigned char* image, const char* name);

void launch_raw(Function function, unsigned blocks, unsigned threads, Stream stream,
                void** arguments);

// Launches the kernel on a stream of the current context. The arguments are copied before the
// function returns.
template <typename... Arguments>
void launch(Function function, unsigned blocks, unsigned threads, Stream stream,
            Arguments... arguments) {
  void* addresses[] = {&arguments...};
  launch_raw(function, blocks, threads, stream, addresses);
}

}  // namespace atc::cuda
