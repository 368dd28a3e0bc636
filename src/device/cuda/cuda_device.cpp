#include "device/cuda/cuda_device.hpp"

#include <algorithm>
#include <chrono>

#include "device/cuda/driver.hpp"
#include "device/cuda/kernels.hpp"

namespace atc::cuda {

namespace {

// The delay aims at twice the host's time for the batch and never lasts longer than this; a driver
// queues about a thousand launches, so longer would gain nothing.
constexpr double kShortestDelay = 50e-6, kLongestDelay = 50e-3;
constexpr int kAttempts = 3;
constexpr double kFastestClock = 4e9;  // bounds the delay where the timer stands still
// Blocks per multiprocessor of a stamp: enough that each gets one.
constexpr unsigned kStampBlocks = 2;

}  // namespace

CudaDevice::CudaDevice(DeviceId device, Context context, Stream stream, int multiprocessors)
    : context_(context),
      stream_(stream),
      stamp_blocks_(kStampBlocks * static_cast<unsigned>(std::max(multiprocessors, 1))),
      processors_(2 * static_cast<std::size_t>(std::max(multiprocessors, 1))),
      stamps_(2 * processors_ * sizeof(ClockStamp), device, stream),
      monitor_(device.index) {}

double CudaDevice::now() {
  using Seconds = std::chrono::duration<double>;
  return Seconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void CudaDevice::stamp(void* to) {
  launch(kernel(context_, kTimingKernels, "atc_stamp"), stamp_blocks_, 1, stream_, to);
}

// Cycles per second of a multiprocessor that was stamped before and after.
std::optional<double> CudaDevice::clock_between() {
  std::vector<ClockStamp> stamps(2 * processors_);
  copy_to_host(stamps.data(), stamps_.data(), stamps_.size(), stream_);
  std::vector<double> clocks;
  for (std::size_t i = 0; i < processors_; ++i) {
    const ClockStamp &before = stamps[i], &after = stamps[processors_ + i];
    if (before.nanoseconds == 0 || after.nanoseconds <= before.nanoseconds) continue;
    clocks.push_back(static_cast<double>(after.cycles - before.cycles) /
                     (static_cast<double>(after.nanoseconds - before.nanoseconds) * 1e-9));
  }
  if (clocks.empty()) return std::nullopt;
  const auto middle = clocks.begin() + static_cast<std::ptrdiff_t>(clocks.size() / 2);
  std::nth_element(clocks.begin(), middle, clocks.end());
  return *middle;
}

CudaDevice::Attempt CudaDevice::attempt(Runnable& runnable, std::size_t operand_sets,
                                        std::size_t calls) {
  const DriverApi& driver = require_driver();
  set_bytes(stamps_.data(), 0, stamps_.size(), stream_);
  const double delay = std::clamp(2 * seconds_per_launch_ * static_cast<double>(calls),
                                  kShortestDelay, kLongestDelay);
  launch(kernel(context_, kTimingKernels, "atc_delay"), 1, 1, stream_,
         static_cast<unsigned long long>(delay * 1e9),
         static_cast<long long>(delay * kFastestClock));
  check(driver.event_record(released_, stream_), "cuEventRecord");
  stamp(stamps_.data());
  check(driver.event_record(start_, stream_), "cuEventRecord");
  const double began = now();
  for (std::size_t call = 0; call < calls; ++call) {
    runnable.run(next_set_);
    next_set_ = next_set_ + 1 < operand_sets ? next_set_ + 1 : 0;
  }
  const double host = now() - began;
  Attempt attempt;
  attempt.hidden = driver.event_query(released_) == kNotReady;
  check(driver.event_record(end_, stream_), "cuEventRecord");
  stamp(static_cast<ClockStamp*>(stamps_.data()) + processors_);
  // While the device works: what is left of the batch hides what asking takes.
  attempt.time.throttled = monitor_.braked(now());
  check(driver.event_synchronize(end_), "cuEventSynchronize");
  float milliseconds = 0;
  check(driver.event_milliseconds(&milliseconds, start_, end_), "cuEventElapsedTime");
  attempt.time.seconds_per_call = milliseconds * 1e-3 / static_cast<double>(calls);
  attempt.time.clock_hz = clock_between();
  // A queue that was full makes the host wait for the device: no measure of a launch.
  if (host < delay || !attempt.hidden)
    seconds_per_launch_ = std::max(host / static_cast<double>(calls), 1e-6);
  return attempt;
}

BatchTime CudaDevice::time_batch(Runnable& runnable, std::size_t operand_sets, std::size_t calls) {
  Attempt last = attempt(runnable, operand_sets, calls);
  for (int i = 1; i < kAttempts && !last.hidden; ++i) {
    // Long executions hide their launches behind each other.
    if (seconds_per_launch_ * static_cast<double>(calls) > kLongestDelay / 2) break;
    last = attempt(runnable, operand_sets, calls);
  }
  return last.time;
}

}  // namespace atc::cuda
