// Functions of the library that replaces CUDA's driver in tests. They replace atc's kernels that
// delay a stream and read a GPU's clocks. The functions use the simulated time.
#include "device/cuda/kernels/layout.hpp"
#include "fault/driver/driver.hpp"
#include "fault/driver/host_kernels.hpp"

namespace {

using atc::cuda::ClockStamp;
using namespace atc::fault;

constexpr double kClock = 1.5e9;  // the clock of the device, in cycles per second
// The device's timer shows this many seconds when the simulated time begins. If the timer showed 0,
// the first reading of the timer by a kernel would count as missing.
constexpr double kEpoch = 1;
// A stamp is a reading of the device's clock by a small kernel. If a stamp has to wait for other
// work, the stamp is delayed by this time, in seconds.
constexpr double kOtherWork = 1e-3;

void atc_delay(unsigned long long nanoseconds, long long) {
  machine().work(static_cast<double>(nanoseconds) * 1e-9);
}

// A stamp is a reading of the device's clock by a small kernel. Returns whether, by the script, the
// next stamp has to wait for other work.
bool is_late() {
  Script& script = machine().script;
  std::uint64_t& left = script.prompt_stamps > 0 ? script.prompt_stamps : script.late_stamps;
  const bool late = script.prompt_stamps == 0 && left > 0;
  if (left > 0) --left;
  return late;
}

// A stamp is a reading of the device's clock by a small kernel. Each block writes the stamp of the
// multiprocessor on which it would run on a GPU.
void atc_stamp(ClockStamp* stamps, unsigned*) {
  if (block_index.x == 0 && is_late()) machine().work(kOtherWork);
  const double now = kEpoch + machine().device_time();
  ClockStamp& stamp = stamps[block_index.x % kMultiprocessors];
  stamp.cycles = static_cast<unsigned long long>(now * kClock);
  stamp.nanoseconds = static_cast<unsigned long long>(now * 1e9);
}

}  // namespace

std::vector<Kernel> atc::fault::timing_kernels() {
  return {{"atc_delay", run<atc_delay>}, {"atc_stamp", run<atc_stamp>}};
}
