// A kernel of an engine's own image, found once when a candidate is prepared and launched without a
// look-up, a lock or a text.
#pragma once

#include "device/cuda/driver_api.hpp"

namespace atc::cuda {

struct Extent3 {
  unsigned x = 1, y = 1, z = 1;
};

struct LaunchShape {
  Extent3 blocks, threads;
  unsigned shared_bytes = 0;  // dynamic, of each block: no more than the kernel was found with
};

// Why no kernel of an image can run on this device ("" where it can): the driver lacks libraries of
// kernels (CUDA 12.0), or there is no driver. Engines of own kernels offer nothing then.
const char* kernels_objection();

class Kernel {
 public:
  Kernel() = default;
  // The kernel of this name in an image (a fatbin), for blocks of up to `shared_bytes` of dynamic
  // shared memory. Loads the image where it is not loaded yet, and its code into the current
  // context, so that a launch in a capture loads nothing. Images stay loaded: a graph may hold
  // their kernels. Throws Error(library) where the driver cannot, Error(unsupported) where the
  // image has no code for the device or the device not that much shared memory.
  Kernel(const unsigned char* image, const char* name, int device_index, unsigned shared_bytes = 0);

  // On a stream of the current context, which is one of the device's. Arguments are copied before
  // it returns.
  template <typename... Arguments>
  void launch(const LaunchShape& shape, Stream stream, Arguments... arguments) const {
    void* addresses[] = {&arguments...};
    launch_raw(shape, stream, addresses);
  }

 private:
  void launch_raw(const LaunchShape& shape, Stream stream, void** arguments) const;

  LibraryKernel kernel_ = nullptr;
};

}  // namespace atc::cuda
