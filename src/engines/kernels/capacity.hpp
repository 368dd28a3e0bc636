// Properties of a device that determine which kernels run on it, and their block and grid sizes.
#pragma once

namespace atc::kernels {

struct Capacity {
  int multiprocessors = 1;
  int most_shared = 0;      // bytes: the most shared memory that one block may have
  bool warpgroups = false;  // whether the device has wgmma, the instruction by which four warps
                            // together multiply matrices
};

}  // namespace atc::kernels
