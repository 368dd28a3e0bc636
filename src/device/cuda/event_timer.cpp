#include "device/cuda/event_timer.hpp"

#include <exception>
#include <utility>

#include "device/cuda/driver.hpp"
#include "device/cuda/driver_probe.hpp"

namespace atc::cuda {

namespace {

// Holds two events of a context. If the context cannot be used any more, the events are not
// destroyed.
class EventTimer final : public CallTimer {
 public:
  explicit EventTimer(int index) : index_(index) {
    const ContextScope scope(index_);
    const RelaxedCapture relaxed;
    context_ = scope.context();
    check(driver().api.event_create(&start_, kEventDefault), "cuEventCreate");
    if (const Result result = driver().api.event_create(&end_, kEventDefault); result != kSuccess) {
      driver().api.event_destroy(start_);
      check(result, "cuEventCreate");
    }
  }
  ~EventTimer() override {
    try {
      const ContextScope scope(index_);
      const RelaxedCapture relaxed;
      driver().api.event_destroy(start_);
      driver().api.event_destroy(end_);
    } catch (const std::exception&) {
      // If the device cannot be used any more, its events no longer exist, so nothing is to be
      // destroyed.
    }
  }
  EventTimer(const EventTimer&) = delete;
  EventTimer& operator=(const EventTimer&) = delete;

  void begin(Stream stream) noexcept override {
    state_ = State::lost;
    try {
      const ContextScope scope(index_);
      if (scope.context() != context_ || is_capturing(stream)) return;
      if (driver().api.event_record(start_, stream) == kSuccess) state_ = State::begun;
    } catch (const std::exception&) {
    }
  }

  void end(Stream stream) noexcept override {
    if (std::exchange(state_, State::lost) != State::begun) return;
    try {
      const ContextScope scope(index_);
      if (is_capturing(stream) || driver().api.event_record(end_, stream) != kSuccess) return;
      // If the device has not reached the first event yet, the whole call is already queued. So the
      // device does not wait for the host between the two events.
      if (driver().api.event_query(start_) == kNotReady) state_ = State::ended;
    } catch (const std::exception&) {
    }
  }

  std::optional<CallTime> read() noexcept override {
    if (state_ != State::ended) return CallTime();
    try {
      const ContextScope scope(index_);
      const RelaxedCapture relaxed;
      const Result result = driver().api.event_query(end_);
      if (result == kNotReady) return std::nullopt;
      float milliseconds = 0;
      if (result == kSuccess &&
          driver().api.event_milliseconds(&milliseconds, start_, end_) == kSuccess)
        return CallTime(static_cast<double>(milliseconds) * 1e-3);
    } catch (const std::exception&) {
    }
    return CallTime();
  }

 private:
  enum class State { lost, begun, ended };

  const int index_;
  Context context_ = nullptr;
  Event start_ = nullptr, end_ = nullptr;
  State state_ = State::lost;
};

}  // namespace

std::unique_ptr<CallTimer> make_event_timer(int device_index) {
  return std::make_unique<EventTimer>(device_index);
}

}  // namespace atc::cuda
