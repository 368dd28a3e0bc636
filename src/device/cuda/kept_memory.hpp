// Keeps device memory for queued work and CUDA graphs that may still read it after its owner has
// released it.
#pragma once

#include <cstdint>
#include <memory>

#include "core/device_type.hpp"

namespace atc::cuda {

// Device memory for data such as the weights that were set on a plan. It is allocated by atc's own
// allocator: queued work may read the memory after the plan and the caller's allocator no longer
// exist. The memory is freed when the object is destroyed and no CUDA graph reads it any more. It
// is freed on the legacy stream, after all work that reads it. An object that is made without
// arguments has no memory.
class KeptMemory {
 public:
  KeptMemory();
  KeptMemory(std::uint64_t size, DeviceId device);  // allocates `size` bytes on the legacy stream
  ~KeptMemory();
  KeptMemory(KeptMemory&& other) noexcept;
  KeptMemory& operator=(KeptMemory&& other) noexcept;

  void* data() const;
  // The owner must call this function each time after it has put work that reads the memory on
  // `stream`. `stream` must belong to the current context.
  void read_on(Stream stream);

  struct State;

 private:
  void let_go() noexcept;

  std::unique_ptr<State> state_;
};

// Returns a copy of device memory. The copy is made on the legacy stream, and is complete when the
// function returns.
KeptMemory kept_copy(const void* from, std::uint64_t size, DeviceId device);

// Frees memory whose KeptMemory object was destroyed and that no graph reads any more. A call costs
// only two atomic loads if no graph was destroyed since the last call and all of this memory is
// still read by graphs.
void trim_kept_memory();

}  // namespace atc::cuda
