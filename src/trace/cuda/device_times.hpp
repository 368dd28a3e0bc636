// Times calls on CUDA devices by two events on the stream of the call: one before the work of the
// call, one after it.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "core/device_type.hpp"
#include "device/cuda/driver_api.hpp"

namespace atc::trace {

class Row;

// A call that is being timed. The first of its two events is recorded; the second is recorded when
// the call has been issued.
struct DeviceCall {
  Row* row = nullptr;
  DeviceId device;
  Stream stream = nullptr;
  cuda::Context context = nullptr;
  cuda::Event start = nullptr, end = nullptr;
  // The time at which the call was issued, in nanoseconds since 1970 on the host's clock.
  std::int64_t issued_ns = 0;
};

// Converts times on a device's clock to times on the host's clock: at `origin_ns` both show the
// same time, and afterwards they run at different rates.
struct Drift {
  // The time of the first measurement of the device's and the host's clock, in nanoseconds since
  // 1970.
  std::int64_t origin_ns = 0;
  // The seconds that pass on the host while one second passes on the device.
  double rate = 1;
  std::int64_t corrected(std::int64_t moment_ns) const;
};

// Times the calls of one trace. Any number of threads may use an object at the same time. If CUDA
// fails, the call is not timed; nothing is thrown. Events are destroyed by close() and not by a
// destructor, because CUDA may no longer be usable when the process exits.
class DeviceTimes {
 public:
  using Report =
      std::function<void(Row&, std::int64_t start_ns, double seconds, std::uint64_t stream)>;
  explicit DeviceTimes(Report report) : report_(std::move(report)) {}

  // Records the event before the work of a call. Returns null if the call is not timed: its stream
  // is captured, kMostPending calls of the context have not been reported yet, close() was called,
  // or the device failed. The first call of
  // this function in a context waits for an event on a stream of atc's own.
  std::unique_ptr<DeviceCall> begin(Row& row, DeviceId device, Stream stream) noexcept;
  // Records the event after the work of a call. Also reports the times of up to two earlier calls
  // whose work has ended.
  void end(std::unique_ptr<DeviceCall> call) noexcept;
  // Discards a call because it has failed.
  void drop(std::unique_ptr<DeviceCall> call) noexcept;
  // Waits for the calls whose work is still running, and reports their times. Calls that begin
  // later are not timed. Returns for each device, by its index, how its clock differs from the
  // host's.
  std::map<int, Drift> close() noexcept;

  static constexpr std::size_t kMostPending = 256;

 private:
  struct Events {
    int device = 0;
    std::size_t made = 0;  // the number of pairs of events that were made
    std::vector<std::pair<cuda::Event, cuda::Event>> idle;
    std::deque<DeviceCall> pending;
    // An event that occurred `base_seconds` seconds after the first event of this context (at
    // `origin_ns` on the host's clock). The times of calls are measured from this event.
    cuda::Event base = nullptr;
    double base_seconds = 0;
    std::int64_t origin_ns = 0;
    Stream own_stream = nullptr;
  };

  bool set_origin(Events& here);
  Drift drift_of(Events& here);
  void collect(Events& here, std::size_t most, bool wait);
  void report(Events& here, DeviceCall& call);

  const Report report_;
  std::mutex mutex_;
  bool closed_ = false;
  std::map<cuda::Context, Events> contexts_;
};

}  // namespace atc::trace
