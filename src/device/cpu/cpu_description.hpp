// The processor, and the part of it that a convolution may use.
#pragma once

#include <cstdint>
#include <string>

namespace atc {

struct CpuDescription {
  std::string vendor;  // "GenuineIntel"
  std::string name;    // "Intel(R) Xeon(R) Processor"
  std::string isa;     // the instruction sets on which the choice of kernels depends, in a fixed
                       // order: "avx2 avx512f amx_bf16"
  int threads = 1;     // the number of threads that a convolution on the calling thread
                       // uses now
  std::uint64_t cache_bytes = 0;  // last level; 0: unknown
  std::uint64_t memory_bytes = 0;
};

CpuDescription cpu_description();

// Returns the number of threads that compute for the calling thread: team_size() of openmp.hpp.
// Without an OpenMP runtime, returns the number of processors that the thread may run on.
int cpu_threads();

}  // namespace atc
