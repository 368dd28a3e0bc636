// A kernel of an image that belongs to an engine. It is looked up once, when a candidate is
// prepared, so that a launch needs no look-up, no lock and no string.
#pragma once

#include "device/cuda/driver_api.hpp"

namespace atc::cuda {

struct Extent3 {
  unsigned x = 1, y = 1, z = 1;
};

struct LaunchShape {
  Extent3 blocks, threads;
  unsigned shared_bytes =
      0;  // bytes of dynamic shared memory for each block, at most as many as Kernel was made with
};

// Returns why no kernel of an image can run; "" if kernels can run. There may be no CUDA device, or
// the driver may be older than CUDA 12.0, which cannot load libraries of kernels. Engines with
// kernels of atc's own then offer nothing.
const char* kernels_objection();

class Kernel {
 public:
  Kernel() = default;
  // Returns the kernel of this name in an image (a fatbin), for blocks of up to `shared_bytes` of
  // dynamic shared memory. Loads the image if it is not loaded yet, and loads its code into the
  // current context, so that a launch in a capture loads nothing. Images are never unloaded,
  // because a graph may hold their kernels. Throws Error(library) if the driver cannot load images,
  // and Error(unsupported) if the image has no code for the device or the device has less shared
  // memory.
  Kernel(const unsigned char* image, const char* name, int device_index, unsigned shared_bytes = 0);

  // Launches on a stream of the current context, which must be one of the kernel's device. The
  // arguments are copied before the function returns.
  template <typename... Arguments>
  void launch(const LaunchShape& shape, Stream stream, Arguments... arguments) const {
    void* addresses[] = {&arguments...};
    launch_raw(shape, stream, addresses);
  }
  // Launches with arguments whose number and types only the caller knows. `arguments` has the
  // address of each argument.
  void launch_raw(const LaunchShape& shape, Stream stream, void** arguments) const;

 private:
  LibraryKernel kernel_ = nullptr;
};

}  // namespace atc::cuda
