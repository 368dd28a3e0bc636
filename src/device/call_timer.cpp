#include "device/call_timer.hpp"

#include <chrono>

#include "device/cuda/event_timer.hpp"

namespace atc {

namespace {

// On the CPU a call has ended when its function returns, so the host's clock times the call.
class HostTimer final : public CallTimer {
 public:
  void begin(Stream) noexcept override { began_ = Clock::now(); }
  void end(Stream) noexcept override {
    seconds_ = std::chrono::duration<double>(Clock::now() - began_).count();
  }
  std::optional<CallTime> read() noexcept override { return CallTime(seconds_); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point began_;
  double seconds_ = 0;
};

}  // namespace

std::unique_ptr<CallTimer> make_call_timer(DeviceId device) {
  if (device.type == DeviceType::cuda) return cuda::make_event_timer(device.index);
  return std::make_unique<HostTimer>();
}

}  // namespace atc
