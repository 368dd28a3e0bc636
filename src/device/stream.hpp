// Functions on a stream, for layers that do not know its device.
#pragma once

#include <cstdint>

#include "core/device_type.hpp"

namespace atc {

// Whether work that is put on the stream now is recorded and not run. On CUDA the legacy stream
// also counts as recording while another stream is captured. On the CPU and without CUDA the answer
// is false.
bool is_captured(DeviceId device, Stream stream);

// Returns at least `size` bytes for work of a captured stream. They live as long as the graph.
// Returns null if the stream is not captured. Throws Error(out_of_memory) and Error(device).
void* workspace_if_captured(std::uint64_t size, DeviceId device, Stream stream);

}  // namespace atc
