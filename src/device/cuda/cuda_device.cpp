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

// Bounds of the delay in seconds. The delay is twice the host's expected time for the batch. More
// than the upper bound would gain nothing, because a driver queues only about a thousand launches.
constexpr double kShortestDelay = 50e-6, kLongestDelay = 50e-3;
constexpr int kAttempts = 3;
constexpr double kFastestClock = 4e9;  // an upper bound of the clock frequency in Hz, which limits
                                       // the delay if the timer stands still
// The launch of a stamp has one block for each multiprocessor. Each block takes all shared memory
// of its multiprocessor, so that nothing else that needs shared memory can run there at the same
// time.
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

// When a stamp counts as late, which means that it waited for other work. A stamp takes a few
// microseconds on a device that has nothing else to do. It is late if it takes more than kLateStamp
// seconds and more than kTimesTheQuickest times the quickest stamp so far. It is also late if it
// takes more than kPlainlyLate seconds: a race that began beside other work has seen no quick stamp
// to compare with.
constexpr double kLateStamp = 20e-6, kTimesTheQuickest = 4, kPlainlyLate = 100e-6;
// Seconds. If other work is seen beside a batch, the batch is repeated after pauses of kFirstPause,
// twice that, and so on up to kLastPause, 63 ms in all. If other work is still seen after kPatience
// in all, the last repetition is used.
constexpr double kFirstPause = 1e-3, kLastPause = 32e-3, kPatience = 0.1;

// Returns cycles per second between the two stamps: the median over the multiprocessors that have
// both stamps.
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
  // NVML is queried while the device still works, so that the rest of the batch hides the time of
  // the query.
  attempt.throttled = monitor_.braked(now());
  check(driver.event_synchronize(stamped_), "cuEventSynchronize");
  attempt.seconds = seconds_between(start_, end_);
  attempt.clock_hz = clock_between(stamps());
  const bool before = waited(seconds_between(released_, start_));
  const bool after = waited(seconds_between(end_, stamped_));
  // If the host was late, a stamp may have waited for the host and not for other work.
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
    // If the host issued the batch too late (`hidden` is false), the stamps may have waited for the
    // host. So their duration says nothing about other work.
    if (attempt.hidden && !attempt.shared) waits_ = true;
    if (!attempt.shared || !waits_) return attempt;
    if (pause > kLastPause || now() - began > kPatience) {
      // The other work may last long. From now on batches do not wait for it, until some batch has
      // had the device alone again.
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
    // A repetition would need twice the delay, but a delay has an upper bound. An execution that
    // takes longer than the delay hides the launches that follow it anyway.
    if (i > 0 && expected > kLongestDelay / 2) break;
    last = attempt_alone([&] { run(runnable, operand_sets, calls); }, expected);
    // If the queue is full, the host waits for the device. Then its time says nothing about
    // launches.
    if (last.host_seconds < last.delay || !last.hidden)
      seconds_per_call_ = std::max(last.host_seconds / count, 1e-6);
    if (last.hidden) break;
  }
  BatchTime time = last.per_call(calls);
  if (!last.hidden) time.host_seconds = issue_alone(runnable, operand_sets);
  return time;
}

// Returns the seconds that the host needs to issue one call to an idle device. In a batch this
// cannot be measured, because the host may have waited for the end of the delay.
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
