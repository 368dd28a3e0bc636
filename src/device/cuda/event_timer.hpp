// Times calls on a CUDA device by two events on the stream of the call: one before the call and one
// after the call.
#pragma once

#include <memory>

#include "device/call_timer.hpp"

namespace atc::cuda {

// Returns a timer for calls on this device. Throws Error(device) or Error(library) if the device
// cannot be used.
std::unique_ptr<CallTimer> make_event_timer(int device_index);

}  // namespace atc::cuda
