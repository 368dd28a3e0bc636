// Holding a stream back, and reading the clocks of its device.
#include "device/cuda/kernels/layout.hpp"

namespace atc::cuda {

__device__ inline unsigned long long nanoseconds() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

// Ends by itself: a kernel that waited for the host would wait for ever where the host waits for the
// device, as it does while it loads a module. `most_cycles` is for a timer that stands still.
extern "C" __global__ void atc_delay(unsigned long long length, long long most_cycles) {
  const unsigned long long start = nanoseconds();
  const long long first = clock64();
  while (nanoseconds() - start < length && clock64() - first < most_cycles) {
  }
}

// One block per multiprocessor or more: clocks are the multiprocessors' own.
extern "C" __global__ void atc_stamp(ClockStamp* stamps) {
  unsigned processor;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(processor));
  stamps[processor].cycles = static_cast<unsigned long long>(clock64());
  stamps[processor].nanoseconds = nanoseconds();
}

}  // namespace atc::cuda
