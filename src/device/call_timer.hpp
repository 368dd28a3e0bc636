// Times single calls of the program on their own stream, without waiting for the device.
#pragma once

#include <memory>
#include <optional>

#include "core/device_type.hpp"

namespace atc {

// The time of a call. It is empty if the time does not count: the device had nothing to do before
// the call, so that the time would contain gaps between the launches of the host.
using CallTime = std::optional<double>;

// Times one call after the other. No function throws. If the device cannot time a call, its time
// does not count.
class CallTimer {
 public:
  virtual ~CallTimer() = default;
  virtual void begin(Stream stream) noexcept = 0;
  virtual void end(Stream stream) noexcept = 0;  // after the call was issued
  // The time of the last call; empty as long as the device has not finished the call.
  virtual std::optional<CallTime> read() noexcept = 0;
};

// Throws Error(device) if the device cannot be used.
std::unique_ptr<CallTimer> make_call_timer(DeviceId device);

}  // namespace atc
