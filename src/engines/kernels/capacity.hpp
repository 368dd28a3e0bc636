// Properties of a device that determine which kernels run on it, and their block and grid sizes.
#pragma once

namespace atc::kernels {

struct Capacity {
  int multiprocessors = 1;
  int most_shared = 0;      // bytes of shared memory of a block
  bool warpgroups = false;  // has wgmma, the instructions by which a warpgroup multiplies
};

}  // namespace atc::kernels
