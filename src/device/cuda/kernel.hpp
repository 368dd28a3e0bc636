// A CUDA kernel of atc's own that an engine launches. It is looked up by its name in an image (a
// fatbin: compiled code for several devices) once, when a candidate is prepared. So a launch needs
// no look-up and no lock.
#pragma once

#include "device/cuda/driver_api.hpp"

namespace atc::cuda {

struct Extent3 {
  unsigned x = 1, y = 1, z = 1;
};

struct LaunchShape {
  Extent3 blocks, threads;
  // The bytes of dynamic shared memory for each block. They must not exceed the number that was
  // passed to the constructor of Kernel.
  unsigned shared_bytes = 0;
};

// Returns the reason why no kernel of any image can run; "" if kernels can run. Possible reasons:
// there is no CUDA device, or the driver is older than CUDA 12.0 and cannot load libraries of
// kernels. If there is a reason, engines with kernels of atc's own offer no candidates.
const char* kernels_objection();

class Kernel {
 public:
  Kernel() = default;
  // Finds the kernel of this name in an image (a fatbin). Blocks may have up to `shared_bytes` of
  // dynamic shared memory. The constructor loads the image if it is not loaded yet, and loads the
  // kernel's code into the current context. So a launch during a capture need not load anything.
  // Images are never unloaded, because a graph may use their kernels. Throws Error(library) if the
  // driver cannot load images. Throws Error(unsupported) if the image has no code for the device,
  // or if the device has less shared memory.
  Kernel(const unsigned char* image, const char* name, int device_index, unsigned shared_bytes = 0);

  // Launches the kernel on a stream of the current context. The current context must belong to the
  // kernel's device. The arguments are copied before the function returns.
  template <typename... Arguments>
  void launch(const LaunchShape& shape, Stream stream, Arguments... arguments) const {
    void* addresses[] = {&arguments...};
    launch_raw(shape, stream, addresses);
  }
  // Launches the kernel with arguments whose number and types are known only to the caller.
  // `arguments` contains the address of each argument.
  void launch_raw(const LaunchShape& shape, Stream stream, void** arguments) const;

 private:
  LibraryKernel kernel_ = nullptr;
};

}  // namespace atc::cuda
