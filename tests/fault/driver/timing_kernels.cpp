// Replacements for the kernels that read a GPU's clocks. They read the simulated time.
#include "device/cuda/kernels/layout.hpp"
#include "fault/driver/driver.hpp"
#include "fault/driver/host_kernels.hpp"

namespace {

using atc::cuda::ClockStamp;
using namespace atc::fault;

constexpr double kClock = 1.5e9;  // the clock of the device, in cycles per second
// The simulated time begins at this second, because a stamp of 0 would count as missing.
constexpr double kEpoch = 1;
constexpr double kOtherWork = 1e-3;  // how long other work delays a stamp, in seconds

void atc_delay(unsigned long long nanoseconds, long long) {
  machine().work(static_cast<double>(nanoseconds) * 1e-9);
}

// Returns whether the script makes the next stamp wait for other work. A stamp is a reading of the
// device's clock.
bool is_late() {
  Script& script = machine().script;
  std::uint64_t& left = script.prompt_stamps > 0 ? script.prompt_stamps : script.late_stamps;
  const bool late = script.prompt_stamps == 0 && left > 0;
  if (left > 0) --left;
  return late;
}

// Each block writes the stamp of the multiprocessor on which it would run on a GPU. A stamp is a
// reading of the device's clock.
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
