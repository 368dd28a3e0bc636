// Kernels that delay a stream, and kernels that read the clocks of the device.
#include "device/cuda/kernels/layout.hpp"

namespace atc::cuda {

__device__ inline unsigned long long nanoseconds() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

// Delays the stream for `length` nanoseconds. The kernel does not wait for a signal of the host:
// the host may itself wait for the device (for example while it loads a module), and the host and
// the device would wait for each other for ever. `most_cycles` ends the delay if the device's timer
// stands still.
extern "C" __global__ void atc_delay(unsigned long long length, long long most_cycles) {
  const unsigned long long start = nanoseconds();
  const long long first = clock64();
  while (nanoseconds() - start < length && clock64() - first < most_cycles) {
  }
}

// Reads the clock of every multiprocessor at a moment when no other kernel that uses shared memory
// runs. The launch has one block per multiprocessor, and each block takes all shared memory of its
// multiprocessor. A block waits until all blocks have started, and then reads the clock. `arrived`
// counts the blocks that have started; it must be 0 before the launch. A block waits at most
// kMeetingNanoseconds: if two such kernels run at the same time, each may occupy multiprocessors
// for which the other waits.
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
