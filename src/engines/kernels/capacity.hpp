// What of a device the sizes of own kernels' blocks and grids follow from.
#pragma once

namespace atc::kernels {

struct Capacity {
  int multiprocessors = 1;
  int most_shared = 0;  // bytes of shared memory of a block
};

}  // namespace atc::kernels
