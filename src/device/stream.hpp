// Questions about a stream, for layers that do not know its device.
#pragma once

#include <cstdint>

#include "core/device_type.hpp"

namespace atc {

// Whether work given to the stream now is recorded instead of run. On CUDA also true for the legacy
// stream while another stream is captured. False on the CPU, and without CUDA.
bool is_captured(DeviceId device, Stream stream);

// At least `size` bytes for work of a captured stream, which live as long as the graph. Null where
// the stream is not captured. Throws Error(out_of_memory) and Error(device).
void* workspace_if_captured(std::uint64_t size, DeviceId device, Stream stream);

}  // namespace atc
