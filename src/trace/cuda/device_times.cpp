#include "trace/cuda/device_times.hpp"

#include <cmath>
#include <tuple>
#include <utility>

#include "device/cuda/driver.hpp"
#include "device/cuda/driver_probe.hpp"
#include "trace/clock.hpp"

namespace atc::trace {

namespace {

// The driver returns the time between two events in single precision. Only a time below this number
// of seconds is exact to 0.1 us. So if a call began more than this number of seconds after the
// event `base`, the event at the beginning of this call becomes the new `base`.
constexpr double kMostFromBase = 1;
// Limits for the rate of a device's clock, which is computed from two measurements. If the
// measurements are less than kLeastForRate seconds apart, the rate is not used, because it is too
// inexact. If the rate differs from 1 by more than kMostDrift, it is not used either: no clock is
// that wrong, so one of the measurements must have been disturbed.
constexpr double kLeastForRate = 0.1, kMostDrift = 1e-3;

const cuda::DriverApi& api() { return cuda::driver().api; }

bool succeeded(cuda::Result result) { return result == cuda::kSuccess; }

// Sets `out` to the seconds between two events. Returns false if the driver does not return a time.
bool seconds_between(double& out, cuda::Event from, cuda::Event to) {
  float milliseconds = 0;
  if (!succeeded(api().event_milliseconds(&milliseconds, from, to))) return false;
  out = static_cast<double>(milliseconds) * 1e-3;
  return true;
}

// Records the event on a stream that has no other work, and waits for it. Returns the host's time
// at which the event occurred, in nanoseconds since 1970; 0 if recording failed.
std::int64_t record_now(cuda::Event event, Stream stream) {
  const std::int64_t before = now_ns();
  if (!succeeded(api().event_record(event, stream)) || !succeeded(api().event_synchronize(event)))
    return 0;
  return before + (now_ns() - before) / 2;
}

}  // namespace

std::int64_t Drift::corrected(std::int64_t moment_ns) const {
  return origin_ns + static_cast<std::int64_t>(static_cast<double>(moment_ns - origin_ns) * rate);
}

// The functions set_origin, collect, report and drift_of must be called with `mutex_` locked and
// with the CUDA context current.
bool DeviceTimes::set_origin(Events& here) {
  if (here.base != nullptr) return true;
  if (here.own_stream == nullptr &&
      !succeeded(api().stream_create(&here.own_stream, cuda::kStreamNonBlocking)))
    return false;
  cuda::Event event = nullptr;
  if (!succeeded(api().event_create(&event, cuda::kEventDefault))) return false;
  here.origin_ns = record_now(event, here.own_stream);
  if (here.origin_ns == 0) {
    api().event_destroy(event);
    return false;
  }
  here.base = event;
  return true;
}

std::unique_ptr<DeviceCall> DeviceTimes::begin(Row& row, DeviceId device, Stream stream) noexcept {
  try {
    const cuda::ContextScope scope(device.index);
    if (cuda::is_capturing(stream)) return nullptr;
    auto call = std::make_unique<DeviceCall>();
    call->row = &row;
    call->device = device;
    call->stream = stream;
    call->context = scope.context();
    {
      const std::lock_guard lock(mutex_);
      if (closed_) return nullptr;
      Events& here = contexts_[call->context];
      here.device = device.index;
      if (here.idle.empty()) {
        if (here.made >= kMostPending) return nullptr;
        const cuda::RelaxedCapture relaxed;
        if (!set_origin(here)) return nullptr;
        // Memory for all pairs of events is reserved here, so that drop() need not allocate.
        here.idle.reserve(here.made + 1);
        std::pair<cuda::Event, cuda::Event> made;
        if (!succeeded(api().event_create(&made.first, cuda::kEventDefault))) return nullptr;
        if (!succeeded(api().event_create(&made.second, cuda::kEventDefault))) {
          api().event_destroy(made.first);
          return nullptr;
        }
        ++here.made;
        here.idle.push_back(made);
      }
      std::tie(call->start, call->end) = here.idle.back();
      here.idle.pop_back();
    }
    call->issued_ns = now_ns();
    if (succeeded(api().event_record(call->start, stream))) return call;
    drop(std::move(call));
  } catch (const std::exception&) {
  }
  return nullptr;
}

void DeviceTimes::drop(std::unique_ptr<DeviceCall> call) noexcept {
  const std::lock_guard lock(mutex_);
  if (closed_) {
    api().event_destroy(call->start);
    api().event_destroy(call->end);
    return;
  }
  // emplace_back does not allocate memory here, because begin() has reserved enough.
  contexts_[call->context].idle.emplace_back(call->start, call->end);
}

void DeviceTimes::end(std::unique_ptr<DeviceCall> call) noexcept {
  try {
    const cuda::ContextScope scope(call->device.index);
    if (cuda::is_capturing(call->stream) ||
        !succeeded(api().event_record(call->end, call->stream))) {
      drop(std::move(call));
      return;
    }
    {
      const std::lock_guard lock(mutex_);
      if (!closed_) {
        Events& here = contexts_[call->context];
        here.pending.push_back(*call);
        call = nullptr;
        const cuda::RelaxedCapture relaxed;
        collect(here, 2, false);
      }
    }
    if (call != nullptr) drop(std::move(call));
  } catch (const std::exception&) {
    if (call != nullptr) drop(std::move(call));
  }
}

void DeviceTimes::collect(Events& here, std::size_t most, bool wait) {
  for (; most > 0 && !here.pending.empty(); --most) {
    DeviceCall& call = here.pending.front();
    const cuda::Result state =
        wait ? api().event_synchronize(call.end) : api().event_query(call.end);
    if (state == cuda::kNotReady) return;
    if (succeeded(state)) report(here, call);
    here.idle.emplace_back(call.start, call.end);
    here.pending.pop_front();
  }
}

void DeviceTimes::report(Events& here, DeviceCall& call) {
  double seconds = 0, from_base = 0;
  if (!seconds_between(seconds, call.start, call.end)) return;
  std::int64_t start_ns = call.issued_ns;
  if (seconds_between(from_base, here.base, call.start)) {
    const double since_origin = here.base_seconds + from_base;
    start_ns = here.origin_ns + static_cast<std::int64_t>(since_origin * 1e9);
    if (from_base > kMostFromBase) {
      std::swap(here.base, call.start);
      here.base_seconds = since_origin;
    }
  }
  report_(*call.row, start_ns, seconds, reinterpret_cast<std::uintptr_t>(call.stream));
}

Drift DeviceTimes::drift_of(Events& here) {
  Drift drift;
  drift.origin_ns = here.origin_ns;
  cuda::Event last = nullptr;
  if (!succeeded(api().event_create(&last, cuda::kEventDefault))) return drift;
  const std::int64_t host_ns = record_now(last, here.own_stream);
  double from_base = 0;
  if (host_ns != 0 && seconds_between(from_base, here.base, last)) {
    const double device = here.base_seconds + from_base;
    const double rate = static_cast<double>(host_ns - here.origin_ns) * 1e-9 / device;
    if (device > kLeastForRate && std::abs(rate - 1) < kMostDrift) drift.rate = rate;
  }
  api().event_destroy(last);
  return drift;
}

std::map<int, Drift> DeviceTimes::close() noexcept {
  std::map<int, Drift> drifts;
  const std::lock_guard lock(mutex_);
  closed_ = true;
  for (auto& [context, here] : contexts_) {
    try {
      const cuda::ContextScope scope(here.device);
      const cuda::RelaxedCapture relaxed;
      collect(here, here.pending.size(), true);
      if (here.base != nullptr) drifts[here.device] = drift_of(here);
      for (const auto& [start, end] : here.idle) {
        api().event_destroy(start);
        api().event_destroy(end);
      }
      if (here.base != nullptr) api().event_destroy(here.base);
      if (here.own_stream != nullptr) api().stream_destroy(here.own_stream);
      // The CUDA context no longer exists, so there are no events that could be destroyed.
    } catch (const std::exception&) {
    }
  }
  contexts_.clear();
  return drifts;
}

}  // namespace atc::trace
