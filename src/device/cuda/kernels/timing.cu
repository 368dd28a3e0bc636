// Kernels that delay a stream, and that read the clocks of its device.
#include "device/cuda/kernels/layout.hpp"

namespace atc::cuda {

__device__ inline unsigned long long nanoseconds() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

// Delays the stream for `length` nanoseconds. A kernel that waited for a signal of the host could
// wait for ever, because the host may wait for the device, for example while it loads a module.
// `most_cycles` ends the delay if the timer stands still.
extern "C" __global__ void atc_delay(unsigned long long length, long long most_cycles) {
  const unsigned long long start = nanoseconds();
  const long long first = clock64();
  while (nanoseconds() - start < length && clock64() - first < most_cycles) {
  }
}

// Reads the clock of every multiprocessor at a moment when all of them are free: one block for each
// multiprocessor takes its shared memory and waits until all blocks have arrived. `arrived` must be
// 0 before. A block waits no longer than kMeetingNanoseconds, because the blocks of two such
// kernels may keep multiprocessors from each other.
extern "C" __global__ void __launch_bounds__(kStampThreads)
    atc_stamp(ClockStamp* stamps, unsigned* arrived) {
  if (threadIdx.x != 0) return;
  const unsigned long long start = nanoseconds();
  const long long first = clock64();
  atomicAdd(arrived, 1u);
  while (*static_cast<volatile unsigned*>(arrived) < gridDim.x &&
         nanoseconds() - start < kMeetingNanoseconds && clock64() - first < kMeetingCycles) {
  }
  unsigned processor;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(processor));
  stamps[processor].cycles = static_cast<unsigned long long>(clock64());
  stamps[processor].nanoseconds = nanoseconds();
}

}  // namespace atc::cuda
