// Device memory that queued work and CUDA graphs may read after its owner has released it.
#pragma once

#include <cstdint>
#include <memory>

#include "core/device_type.hpp"

namespace atc::cuda {

// Memory for data such as the weights that were set on a plan. It comes from atc's own allocator,
// because it may outlive the plan. It is freed when no graph reads it any more, in the order of the
// legacy stream, which is after the work that reads it. Empty by default.
class KeptMemory {
 public:
  KeptMemory();
  KeptMemory(std::uint64_t size, DeviceId device);  // on the legacy stream
  ~KeptMemory();
  KeptMemory(KeptMemory&& other) noexcept;
  KeptMemory& operator=(KeptMemory&& other) noexcept;

  void* data() const;
  // Must be called after work that reads the memory was put on `stream`, a stream of the current
  // context.
  void read_on(Stream stream);

  struct State;

 private:
  void let_go() noexcept;

  std::unique_ptr<State> state_;
};

// Returns a copy of device memory. The copy is made on the legacy stream and is complete when the
// function returns.
KeptMemory kept_copy(const void* from, std::uint64_t size, DeviceId device);

// Frees memory that its owners have released and that no graph reads any more. Costs two atomic
// loads if no graph was destroyed since the last call.
void trim_kept_memory();

}  // namespace atc::cuda
