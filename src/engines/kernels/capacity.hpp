// Properties of a device that determine which kernels run on it, and their block and grid sizes.
#pragma once

namespace atc::kernels {

struct Capacity {
  int multiprocessors = 1;
  int most_shared = 0;      // the most bytes of shared memory that a block may have
  bool warpgroups = false;  // true if the device has wgmma, the instructions by which a warpgroup
                            // multiplies matrices
};

}  // namespace atc::kernels
