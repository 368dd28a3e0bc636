// The properties of a device that decide which kernels can run on it, and how large the blocks and
// grids of these kernels are.
#pragma once

namespace atc::kernels {

struct Capacity {
  int multiprocessors = 1;
  int most_shared = 0;      // bytes: the most shared memory that one block may have
  bool warpgroups = false;  // whether the device has wgmma, the instruction by which four warps
                            // together multiply matrices
};

}  // namespace atc::kernels
