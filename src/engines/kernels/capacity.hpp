// Device properties that determine the block and grid sizes of our kernels, and which kernels run.
#pragma once

namespace atc::kernels {

struct Capacity {
  int multiprocessors = 1;
  int most_shared = 0;      // bytes of shared memory of a block
  bool warpgroups = false;  // has instructions that multiply by warpgroups
};

}  // namespace atc::kernels
