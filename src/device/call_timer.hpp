// Measures the time of single calls that a program makes. The calls run on the program's own
// stream, and the timer never waits for the device.
#pragma once

#include <memory>
#include <optional>

#include "core/device_type.hpp"

namespace atc {

// The time of a call in seconds. It is empty if the call could not be timed, or if the device was
// idle when the call began. An idle device waits between kernels until the host has launched the
// next one, so the measured time would contain these gaps.
using CallTime = std::optional<double>;

// Times calls one after the other. The user of the timer calls begin(), issues the call that is
// timed, and then calls end() and read(). No function throws. If the device cannot time a call,
// read() returns an empty CallTime.
class CallTimer {
 public:
  virtual ~CallTimer() = default;
  virtual void begin(Stream stream) noexcept = 0;
  virtual void end(Stream stream) noexcept = 0;  // end() is called after the timed call was issued.
  // Returns the time of the last call. Returns nullopt as long as the device has not finished the
  // call.
  virtual std::optional<CallTime> read() noexcept = 0;
};

// Returns a timer for calls on this device. Throws Error(device) if the device cannot be used.
std::unique_ptr<CallTimer> make_call_timer(DeviceId device);

}  // namespace atc
