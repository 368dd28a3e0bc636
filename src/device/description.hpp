// Describes the devices of the machine: their names, and those facts about them that are part of
// the key of a stored decision.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/device_type.hpp"

namespace atc {

// Throws if the device cannot be used: Error(library) if CUDA cannot be used,
// Error(invalid_argument) if the machine has no device of this index, and Error(device) in a forked
// child of a process that had opened CUDA.
void require_device(DeviceId device);

// Returns the name of the device, for people to read; "" if the machine does not have the device.
std::string device_name(DeviceId device);

// Returns the version of the device's driver, as CUDA numbers it; "" on the CPU.
std::string driver_version(DeviceId device);

// Returns the facts about the device that are part of the key under which a decision is stored: the
// type of the device, and all facts that change which kernels run or how fast they are. The result
// is a JSON object. Throws like require_device().
nlohmann::json device_facts(DeviceId device);

// Returns a text that identifies the device among all devices of all machines. All processes that
// share a device get the same text, even if they number the devices differently.
std::string device_place(DeviceId device);

// Returns the number of threads that a convolution on the CPU uses if the calling thread starts it.
int computing_threads();

}  // namespace atc
