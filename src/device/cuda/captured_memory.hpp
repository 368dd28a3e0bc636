// Gives workspaces to calls that are captured into a CUDA graph. The device memory of such a
// workspace lives as long as the graph.
#pragma once

#include <cstdint>

#include "core/device_type.hpp"

namespace atc::cuda {

// While work on `stream` is captured into a CUDA graph, returns at least `size` bytes of device
// memory for this work, aligned to 256 bytes. The memory is valid until the graph, its copies and
// all its executables are destroyed, and no launch of them is still running. Calls on one stream in
// one capture share memory, because they run one after the other. Returns null if the stream is not
// captured, or if the driver cannot report when a graph is destroyed. Throws Error(out_of_memory)
// and Error(device).
void* captured_workspace(std::uint64_t size, DeviceId device, Stream stream);

// Frees the memory whose graphs are destroyed, except a limited amount that is kept for later
// captures. If no graph was destroyed since the last call, the call costs one atomic load.
void trim_captured_memory();
void free_captured_memory();  // Frees all memory of destroyed graphs.

}  // namespace atc::cuda
