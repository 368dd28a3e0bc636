// Times calls of the program one by one, on the program's own stream, without waiting for the
// device.
#pragma once

#include <memory>
#include <optional>

#include "core/device_type.hpp"

namespace atc {

// The time of a call in seconds. It is empty if the time does not count, because the device was
// idle before the call. In this case the time would contain gaps in which the device waited for the
// host to launch work.
using CallTime = std::optional<double>;

// Times calls one after the other. The user of the timer calls begin(), issues the call that is
// timed, and then calls end() and read(). No function throws. If the device cannot time a call, the
// time of the call does not count.
class CallTimer {
 public:
  virtual ~CallTimer() = default;
  virtual void begin(Stream stream) noexcept = 0;
  virtual void end(Stream stream) noexcept = 0;  // Called after the call was issued.
  // Returns the time of the last call. Returns nothing as long as the device has not finished the
  // call.
  virtual std::optional<CallTime> read() noexcept = 0;
};

// Returns a timer for calls on this device. Throws Error(device) if the device cannot be used.
std::unique_ptr<CallTimer> make_call_timer(DeviceId device);

}  // namespace atc
