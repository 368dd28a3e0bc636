// Describes the devices of the machine: their names, and the facts on which decisions depend.
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

// Returns the device's part of the key under which a decision is stored. It is an object with the
// type of the device, and with the facts that change which kernels run or how fast they are. Throws
// like require_device.
nlohmann::json device_facts(DeviceId device);

// Returns a text that identifies the device among all devices of all machines. All processes that
// share a device get the same text, even if the device has a different number in each process.
std::string device_place(DeviceId device);

// Returns the number of threads that compute for the calling thread on the CPU.
int computing_threads();

}  // namespace atc
