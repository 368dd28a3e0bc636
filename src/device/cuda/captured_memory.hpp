// Workspaces of captured calls: device memory beside the graph that lives as long as it.
#pragma once

#include <cstdint>

#include "core/device_type.hpp"

namespace atc::cuda {

// Where work given to `stream` becomes part of a graph: at least `size` bytes, aligned to 256, that
// stay until the graph, its copies and all its executables are destroyed and have run. Calls of one
// stream in one capture get the same memory: they run one after the other. Null outside of captures
// and where the driver does not tell when a graph is gone. Throws Error(out_of_memory) and
// Error(device).
void* captured_workspace(std::uint64_t size, DeviceId device, Stream stream);

// Gives back memory of graphs that are gone, above what is kept for later captures. Costs a load
// while none has gone since the last time.
void trim_captured_memory();
void free_captured_memory();  // all of theirs

}  // namespace atc::cuda
