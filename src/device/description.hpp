// The devices of the machine: which exist, and the facts on which decisions depend.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/device_type.hpp"

namespace atc {

// Throws Error(library) if CUDA cannot be used, and Error(invalid_argument) for a device index that
// this machine does not have.
void require_device(DeviceId device);

// Returns the device's name for people; "" if the machine does not have the device.
std::string device_name(DeviceId device);

// Returns the version of the device's driver, as CUDA numbers it; "" on the CPU.
std::string driver_version(DeviceId device);

// Returns the device's part of the key of a decision: an object with the type of the device, and
// the facts that change which kernels run or how fast they are. Throws like require_device.
nlohmann::json device_facts(DeviceId device);

// Returns a text that identifies the device among all devices of all machines. Processes that share
// a device get equal texts, whatever number the device has in each.
std::string device_place(DeviceId device);

// Returns the number of threads that compute for the calling thread on the CPU.
int computing_threads();

}  // namespace atc
