// Describes the processor, and says how many threads a convolution may use.
#pragma once

#include <cstdint>
#include <string>

namespace atc {

struct CpuDescription {
  std::string vendor;  // "GenuineIntel"
  std::string name;    // "Intel(R) Xeon(R) Processor"
  // The instruction sets on which the choice of kernels depends, in a fixed order: "avx2 avx512f
  // amx_bf16".
  std::string isa;
  // The number of threads that a convolution uses if the calling thread starts it now.
  int threads = 1;
  std::uint64_t cache_bytes = 0;  // the size of the last-level cache in bytes; 0 if it is not known
  std::uint64_t memory_bytes = 0;
};

CpuDescription cpu_description();

// Returns the number of threads that compute for the calling thread: team_size() of openmp.hpp. If
// there is no OpenMP runtime, returns the number of processors that the thread may run on.
int cpu_threads();

}  // namespace atc
