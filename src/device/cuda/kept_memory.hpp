// Device memory that queued work and CUDA graphs may still read after its owner has released it.
#pragma once

#include <cstdint>
#include <memory>

#include "core/device_type.hpp"

namespace atc::cuda {

// Memory for data such as the weights that were set on a plan. The memory is allocated by atc's own
// allocator, because it may outlive the plan and so also the caller's allocator. It is freed as
// soon as no graph reads it any more. The free happens in the order of the legacy stream, after all
// work that reads the memory. An object that is made without arguments is empty.
class KeptMemory {
 public:
  KeptMemory();
  KeptMemory(std::uint64_t size, DeviceId device);  // allocates on the legacy stream
  ~KeptMemory();
  KeptMemory(KeptMemory&& other) noexcept;
  KeptMemory& operator=(KeptMemory&& other) noexcept;

  void* data() const;
  // Must be called after work that reads the memory was put on `stream`. `stream` must belong to
  // the current context.
  void read_on(Stream stream);

  struct State;

 private:
  void let_go() noexcept;

  std::unique_ptr<State> state_;
};

// Returns a copy of device memory. The copy is made on the legacy stream, and is complete when the
// function returns.
KeptMemory kept_copy(const void* from, std::uint64_t size, DeviceId device);

// Frees memory that was released by its owners and that no graph reads any more. If no graph was
// destroyed since the last call, the call costs two atomic loads.
void trim_kept_memory();

}  // namespace atc::cuda
