#include "device/cpu/cpu_device.hpp"

#include <chrono>

#include "device/cpu/live_pool.hpp"

namespace atc {

BatchTime CpuDevice::time_batch(Runnable& runnable, std::size_t operand_sets, std::size_t calls) {
  BatchTime time;
  // After a fork, with_live_pool passes its function to another thread. So it gets the whole batch
  // in one function: the measured time then does not contain the cost of passing each call.
  with_live_pool([&] {
    const double start = now();
    for (std::size_t call = 0; call < calls; ++call) {
      runnable.run(next_set_);
      next_set_ = next_set_ + 1 < operand_sets ? next_set_ + 1 : 0;
    }
    time.seconds_per_call = (now() - start) / static_cast<double>(calls);
  });
  return time;
}

double CpuDevice::now() {
  using Seconds = std::chrono::duration<double>;
  return Seconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace atc
