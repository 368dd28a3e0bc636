// Device properties that determine the block and grid sizes of our kernels.
#pragma once

namespace atc::kernels {

struct Capacity {
  int multiprocessors = 1;
  int most_shared = 0;  // bytes of shared memory of a block
};

}  // namespace atc::kernels
