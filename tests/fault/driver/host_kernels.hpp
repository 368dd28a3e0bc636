// Defines CUDA's keywords for a C++ compiler, so that atc's kernels can be compiled for the host
// without changes. A launch runs its blocks one after the other, and each block has a single
// thread. The results are right nevertheless: each thread of these kernels loops over elements,
// with the total number of threads as its step.
#pragma once

#include <math.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#define __device__
#define __global__
#define __launch_bounds__(threads)
// Shared memory of a block becomes a static variable. A block has only one thread here, so elements
// that other threads would write remain zero.
#define __shared__ static

namespace atc::fault {

struct Dimensions {
  unsigned x = 1, y = 1, z = 1;
};

// The sizes and indices of the running launch. Only one launch runs at a time.
inline Dimensions block_index{0, 0, 0}, grid_size;

}  // namespace atc::fault

inline constexpr atc::fault::Dimensions blockDim, threadIdx{0, 0, 0};
#define blockIdx ::atc::fault::block_index
#define gridDim ::atc::fault::grid_size

inline void __syncthreads() {}
// A warp has only one lane here, so there is no other lane from which a value could come. A shuffle
// returns 0, which adds nothing to a sum.
template <typename Value>
Value __shfl_down_sync(unsigned, Value, int) {
  return 0;
}
inline void atomicAdd(unsigned long long* to, unsigned long long value) { *to += value; }
inline void atomicMin(unsigned long long* to, unsigned long long value) {
  *to = std::min(*to, value);
}

struct alignas(16) uint4 {
  unsigned x, y, z, w;
};

namespace atc::fault {

struct Kernel {
  const char* name;
  void (*run)(unsigned blocks, void** arguments);
};

template <typename Argument>
Argument argument(const void* at) {
  Argument value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

template <typename... Arguments, std::size_t... I>
void call(void (*kernel)(Arguments...), void** arguments, std::index_sequence<I...>) {
  kernel(argument<Arguments>(arguments[I])...);
}

template <typename... Arguments>
void call(void (*kernel)(Arguments...), void** arguments) {
  call(kernel, arguments, std::index_sequence_for<Arguments...>());
}

template <auto kernel>
void run(unsigned blocks, void** arguments) {
  grid_size.x = blocks;
  for (block_index.x = 0; block_index.x < blocks; ++block_index.x) call(kernel, arguments);
}

std::vector<Kernel> tensor_kernels();
std::vector<Kernel> reference_kernels();
std::vector<Kernel> timing_kernels();
std::vector<Kernel> epilogue_kernels();

}  // namespace atc::fault
