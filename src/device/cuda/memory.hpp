// Allocates and frees device memory in the order of a stream (cuMemAllocAsync), from the memory
// pool that the driver has for the device.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "core/allocator.hpp"

namespace atc::cuda {

// Returns the allocator that is used for CUDA devices if the caller has set none. Memory that is
// allocated on a captured stream belongs to the graph: the graph allocates and frees it each time
// it runs.
std::shared_ptr<Allocator> stream_ordered_allocator();

// Returns the number of free bytes on the device of the current context, as the driver reports it.
// Memory that the program's own allocator keeps for later does not count as free. Returns nothing
// if the driver does not have the function. Throws Error(device) if the device has failed.
std::optional<std::uint64_t> free_memory();

}  // namespace atc::cuda
