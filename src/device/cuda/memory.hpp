// Device memory, allocated in the order of a stream from the driver's own pool of the device.
#pragma once

#include <memory>

#include "core/allocator.hpp"

namespace atc::cuda {

// Returns the allocator that is used for CUDA devices if the caller has set none. Memory that it
// allocates on a captured stream belongs to the graph, which allocates and frees it each time it
// runs.
std::shared_ptr<Allocator> stream_ordered_allocator();

}  // namespace atc::cuda
