// Workspaces of captured calls: device memory that lives as long as the graph.
#pragma once

#include <cstdint>

#include "core/device_type.hpp"

namespace atc::cuda {

// While `stream` is captured, returns at least `size` bytes, aligned to 256. They are valid until
// the graph, its copies and all its executables are destroyed and have run. Calls of one stream in
// one capture share memory, because they run one after the other. Returns null outside of captures,
// and if the driver cannot report the end of a graph. Throws Error(out_of_memory) and
// Error(device).
void* captured_workspace(std::uint64_t size, DeviceId device, Stream stream);

// Frees memory of destroyed graphs, except an amount that is kept for later captures. Costs one
// atomic load if no graph was destroyed since the last call.
void trim_captured_memory();
void free_captured_memory();  // frees the memory of captured graphs that no longer exist

}  // namespace atc::cuda
