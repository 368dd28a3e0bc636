// Device memory: stream-ordered, from the driver's own pool of the device.
#pragma once

#include <memory>

#include "core/allocator.hpp"

namespace atc::cuda {

// What serves CUDA devices where the caller has set no allocator. On a captured stream its memory
// is the graph's, which allocates and frees it each time it runs.
std::shared_ptr<Allocator> stream_ordered_allocator();

}  // namespace atc::cuda
