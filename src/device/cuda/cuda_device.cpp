#include "device/cuda/cuda_device.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "device/cuda/driver.hpp"
#include "device/cuda/driver_probe.hpp"
#include "device/cuda/kernels.hpp"
#include "device/cuda/recorded_work.hpp"

namespace atc::cuda {

namespace {

// Before each batch a kernel delays the stream, so that the host can queue the whole batch. The
// delay is twice the time in which the host is expected to queue the batch, but at least
// kShortestDelay and at most kLongestDelay seconds. A longer delay would not help: a driver queues
// only about a thousand launches, and then the host waits for the device.
constexpr double kShortestDelay = 50e-6, kLongestDelay = 50e-3;
constexpr int kAttempts = 3;
// An upper limit for the clock frequency of all devices, in Hz. It limits the number of cycles that
// the delay before a batch may take if the device's timer stands still.
constexpr double kFastestClock = 4e9;
// Returns the launch of a stamp (a kernel that reads the clocks). It has one block for each
// multiprocessor. Each block takes all shared memory of its multiprocessor. So no other kernel that
// needs shared memory can run on the multiprocessor at the same time.
LaunchShape stamp_shape(DeviceId device, int multiprocessors) {
  LaunchShape shape;
  shape.blocks.x = static_cast<unsigned>(std::max(multiprocessors, 1));
  shape.threads.x = kStampThreads;
  const auto& devices = driver().devices;
  const auto index = static_cast<std::size_t>(device.index);
  if (index < devices.size())
    shape.shared_bytes = static_cast<unsigned>(devices[index].most_block_shared);
  return shape;
}

// A stamp (a kernel that reads the clocks) counts as late if it must have waited for other work on
// the device. On an idle device a stamp takes a few microseconds. A stamp is late if it takes more
// than kLateStamp seconds and also more than kTimesTheQuickest times as long as the quickest stamp
// so far. A stamp that takes more than kPlainlyLate seconds is late in any case: if other work runs
// from the beginning, there is no quick stamp to compare with.
constexpr double kLateStamp = 20e-6, kTimesTheQuickest = 4, kPlainlyLate = 100e-6;
// The next three constants are in seconds. If other work is seen on the device beside a batch, the
// batch is timed again after a pause. The first pause is kFirstPause. Each further pause is twice
// as long, up to kLastPause; the sum of all pauses is 63 ms. If other work is still seen when the
// pauses are used up, or when kPatience has passed, the last result is used.
constexpr double kFirstPause = 1e-3, kLastPause = 32e-3, kPatience = 0.1;

// Returns the clock frequency (cycles per second) during a batch. Two stamps (kernels that read the
// clocks) run before and after the batch. The result is the median over those multiprocessors for
// which both stamps have a result.
std::optional<double> clock_between(const std::vector<ClockStamp>& stamps) {
  const std::size_t processors = stamps.size() / 2;
  std::vector<double> clocks;
  for (std::size_t i = 0; i < processors; ++i) {
    const ClockStamp &before = stamps[i], &after = stamps[processors + i];
    if (before.nanoseconds == 0 || after.nanoseconds <= before.nanoseconds) continue;
    clocks.push_back(static_cast<double>(after.cycles - before.cycles) /
                     (static_cast<double>(after.nanoseconds - before.nanoseconds) * 1e-9));
  }
  if (clocks.empty()) return std::nullopt;
  const auto middle = clocks.begin() + static_cast<std::ptrdiff_t>(clocks.size() / 2);
  std::nth_element(clocks.begin(), middle, clocks.end());
  return *middle;
}

}  // namespace

CudaDevice::CudaDevice(DeviceId device, Context context, Stream stream, int multiprocessors)
    : context_(context),
      stream_(stream),
      stamp_shape_(stamp_shape(device, multiprocessors)),
      stamp_(kTimingKernels, "atc_stamp", device.index, stamp_shape_.shared_bytes),
      processors_(2 * static_cast<std::size_t>(std::max(multiprocessors, 1))),
      stamps_((2 * processors_ + 1) * sizeof(ClockStamp), device, stream),
      monitor_(device.index) {}

double CudaDevice::now() {
  using Seconds = std::chrono::duration<double>;
  return Seconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void CudaDevice::stamp(std::size_t place) {
  auto* const stamps = static_cast<ClockStamp*>(stamps_.data());
  auto* const counters = reinterpret_cast<unsigned*>(stamps + 2 * processors_);
  void* to = stamps + place * processors_;
  void* arrived = counters + place;
  stamp_.launch(stamp_shape_, stream_, to, arrived);
}

std::vector<ClockStamp> CudaDevice::stamps() {
  std::vector<ClockStamp> stamps(2 * processors_);
  copy_to_host(stamps.data(), stamps_.data(), stamps.size() * sizeof(ClockStamp), stream_);
  return stamps;
}

bool CudaDevice::waited(double stamp) {
  quickest_stamp_ = std::min(quickest_stamp_, stamp);
  return stamp > std::clamp(kTimesTheQuickest * quickest_stamp_, kLateStamp, kPlainlyLate);
}

double CudaDevice::seconds_between(const OwnEvent& first, const OwnEvent& second) {
  float milliseconds = 0;
  check(require_driver().event_milliseconds(&milliseconds, first, second), "cuEventElapsedTime");
  return milliseconds * 1e-3;
}

BatchTime CudaDevice::Attempt::per_call(std::size_t calls) const {
  const auto count = static_cast<double>(calls);
  return {seconds / count, host_seconds / count, clock_hz, throttled,
          shared,          shared_at_any_attempt};
}

CudaDevice::Attempt CudaDevice::attempt(const std::function<void()>& issue, double expected) {
  const DriverApi& driver = require_driver();
  set_bytes(stamps_.data(), 0, stamps_.size(), stream_);
  Attempt attempt;
  attempt.delay = std::clamp(2 * expected, kShortestDelay, kLongestDelay);
  launch(kernel(context_, kTimingKernels, "atc_delay"), 1, 1, stream_,
         static_cast<unsigned long long>(attempt.delay * 1e9),
         static_cast<long long>(attempt.delay * kFastestClock));
  check(driver.event_record(released_, stream_), "cuEventRecord");
  stamp(0);
  check(driver.event_record(start_, stream_), "cuEventRecord");
  const double began = now();
  issue();
  attempt.host_seconds = now() - began;
  attempt.hidden = driver.event_query(released_) == kNotReady;
  check(driver.event_record(end_, stream_), "cuEventRecord");
  stamp(1);
  check(driver.event_record(stamped_, stream_), "cuEventRecord");
  // NVML (the library that reports slowed clocks) is queried while the device still works on the
  // batch, so that the query costs no extra time.
  attempt.throttled = monitor_.braked(now());
  check(driver.event_synchronize(stamped_), "cuEventSynchronize");
  attempt.seconds = seconds_between(start_, end_);
  attempt.clock_hz = clock_between(stamps());
  const bool before = waited(seconds_between(released_, start_));
  const bool after = waited(seconds_between(end_, stamped_));
  // Stamps (kernels that read the clocks) also take long if they wait for the host. So a long stamp
  // shows other work on the device only if the host issued all work in time (`hidden` is true).
  attempt.shared = attempt.shared_at_any_attempt = attempt.hidden && (before || after);
  return attempt;
}

CudaDevice::Attempt CudaDevice::attempt_alone(const std::function<void()>& issue, double expected) {
  const double began = now();
  bool shared_at_any_attempt = false;
  for (double pause = kFirstPause;; pause *= 2) {
    Attempt attempt = this->attempt(issue, expected);
    attempt.shared_at_any_attempt = shared_at_any_attempt =
        shared_at_any_attempt || attempt.shared_at_any_attempt;
    // `waits_` says whether a batch is timed again if other work is seen. If the host was late
    // (`hidden` is false), this attempt does not show whether there was other work, so `waits_`
    // does not change.
    if (attempt.hidden && !attempt.shared) waits_ = true;
    if (!attempt.shared || !waits_) return attempt;
    if (pause > kLastPause || now() - began > kPatience) {
      // The other work did not end, and may last long. From now on no batch is repeated because of
      // other work, until a batch has run without other work.
      waits_ = false;
      return attempt;
    }
    std::this_thread::sleep_for(std::chrono::duration<double>(pause));
  }
}

void CudaDevice::run(Runnable& runnable, std::size_t operand_sets, std::size_t calls) {
  for (std::size_t call = 0; call < calls; ++call) {
    runnable.run(next_set_);
    next_set_ = next_set_ + 1 < operand_sets ? next_set_ + 1 : 0;
  }
}

BatchTime CudaDevice::time_batch(Runnable& runnable, std::size_t operand_sets, std::size_t calls) {
  const auto count = static_cast<double>(calls);
  Attempt last;
  for (int i = 0; i < kAttempts; ++i) {
    const double expected = seconds_per_call_ * count;
    // The first attempt uses the expected time of the host. If the delay was too short, the batch
    // is timed again with a longer delay. If the needed delay is longer than kLongestDelay, the
    // loop ends, because a further attempt would have the same delay.
    if (i > 0 && expected > kLongestDelay / 2) break;
    last = attempt_alone([&] { run(runnable, operand_sets, calls); }, expected);
    // If the driver's queue of launches is full, the host waits until the device has run a part of
    // the batch. Then host_seconds contains this wait and does not show the cost of launches, so it
    // is not used.
    if (last.host_seconds < last.delay || !last.hidden)
      seconds_per_call_ = std::max(last.host_seconds / count, 1e-6);
    if (last.hidden) break;
  }
  BatchTime time = last.per_call(calls);
  if (!last.hidden) time.host_seconds = issue_alone(runnable, operand_sets);
  return time;
}

// Returns the seconds that the host needs to issue one call to an idle device. The time of a batch
// does not show this, because the host may have waited for the end of the delay during the batch.
double CudaDevice::issue_alone(Runnable& runnable, std::size_t operand_sets) {
  synchronize(stream_);
  const double began = now();
  run(runnable, operand_sets, 1);
  const double seconds = now() - began;
  synchronize(stream_);
  return seconds;
}

std::optional<BatchTime> CudaDevice::time_graph(Runnable& runnable, std::size_t operand_sets,
                                                std::size_t calls) {
  RecordedWork work(stream_, [&] { run(runnable, operand_sets, calls); });
  if (!work.whole() || !work.instantiate(stream_)) return std::nullopt;
  Attempt last;
  for (int i = 0; i < kAttempts && !last.hidden; ++i) {
    last = attempt_alone([&] { work.launch(stream_); }, seconds_per_graph_);
    seconds_per_graph_ = last.host_seconds;
  }
  return last.per_call(calls);
}

std::size_t CudaDevice::launches(Runnable& runnable) {
  const RecordedWork work(stream_, [&] { runnable.run(0); });
  return work.whole() ? work.nodes() : 0;
}

}  // namespace atc::cuda
