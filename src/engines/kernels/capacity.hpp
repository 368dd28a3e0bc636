// The properties of a device that decide which kernels can run on it, and how large the blocks and
// grids of these kernels are.
#pragma once

namespace atc::kernels {

struct Capacity {
  int multiprocessors = 1;
  // The most bytes of shared memory that one block may have.
  int most_shared = 0;
  // Whether the device has wgmma, the instruction by which four warps together multiply matrices.
  bool warpgroups = false;
};

}  // namespace atc::kernels
