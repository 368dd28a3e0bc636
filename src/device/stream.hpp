// Functions that find out whether a stream is captured, for code that does not depend on the type
// of the device.
#pragma once

#include <cstdint>

#include "core/device_type.hpp"

namespace atc {

// Whether work that is put on the stream now is recorded into a graph instead of run. On CUDA the
// result is also true for the legacy stream while another stream is captured. On the CPU, and in a
// build without CUDA, the result is false.
bool is_captured(DeviceId device, Stream stream);

// If the stream is captured, returns at least `size` bytes of device memory for the captured work.
// The memory remains valid as long as the graph exists. Returns null if the stream is not captured.
// Throws Error(out_of_memory) and Error(device).
void* workspace_if_captured(std::uint64_t size, DeviceId device, Stream stream);

}  // namespace atc
