// Times of calls on CUDA devices. An event before and one after the work of a call give its time.
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

// A call between its two events.
struct DeviceCall {
  Row* row = nullptr;
  DeviceId device;
  Stream stream = nullptr;
  cuda::Context context = nullptr;
  cuda::Event start = nullptr, end = nullptr;
  std::int64_t issued_ns = 0;  // by the host, since 1970
};

// How much faster or slower a device's clock runs than the host's clock. The first measurement of
// both clocks connects the times of the two.
struct Drift {
  std::int64_t origin_ns = 0;  // of the first measurement
  double rate = 1;             // how many seconds pass on the host while one second passes on the
                               // device
  std::int64_t corrected(std::int64_t moment_ns) const;
};

// Any number of threads may use it at once. If CUDA fails, a call is not timed, and nothing throws.
// Only close() destroys events, because CUDA may no longer be usable when the process exits.
class DeviceTimes {
 public:
  using Report =
      std::function<void(Row&, std::int64_t start_ns, double seconds, std::uint64_t stream)>;
  explicit DeviceTimes(Report report) : report_(std::move(report)) {}

  // Records the first event. Returns null if the call is not timed: its stream is captured, or
  // kMostPending calls of the context have not been reported yet. The first call of a context waits
  // for an event on a stream of atc's own.
  std::unique_ptr<DeviceCall> begin(Row& row, DeviceId device, Stream stream) noexcept;
  // Records the second event. Also reports up to two calls that have ended.
  void end(std::unique_ptr<DeviceCall> call) noexcept;
  // The call failed.
  void drop(std::unique_ptr<DeviceCall> call) noexcept;
  // Waits for the calls that are running, and reports them. Later calls are not timed. Returns the
  // drift of each device, by its index.
  std::map<int, Drift> close() noexcept;

  static constexpr std::size_t kMostPending = 256;

 private:
  struct Events {
    int device = 0;
    std::size_t made = 0;  // pairs
    std::vector<std::pair<cuda::Event, cuda::Event>> idle;
    std::deque<DeviceCall> pending;
    cuda::Event base = nullptr;  // an event that was recorded base_seconds after the origin of the
                                 // times
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
