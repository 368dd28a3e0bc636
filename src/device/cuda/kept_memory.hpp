// Device memory that queued work and CUDA graphs may read after its owner has released it.
#pragma once

#include <cstdint>
#include <memory>

#include "core/device_type.hpp"

namespace atc::cuda {

// For example, weights that were set. The memory comes from atc's own allocator, because it may
// outlive the plan. It is freed in the order of the legacy stream, after the work that reads it,
// once no graph reads it. Empty by default.
class KeptMemory {
 public:
  KeptMemory();
  KeptMemory(std::uint64_t size, DeviceId device);  // on the legacy stream
  ~KeptMemory();
  KeptMemory(KeptMemory&& other) noexcept;
  KeptMemory& operator=(KeptMemory&& other) noexcept;

  void* data() const;
  // Call it after work that reads the memory was given to `stream`, a stream of the current
  // context.
  void read_on(Stream stream);

  struct State;

 private:
  void let_go() noexcept;

  std::unique_ptr<State> state_;
};

// A copy of device memory, made on the legacy stream and complete when the function returns.
KeptMemory kept_copy(const void* from, std::uint64_t size, DeviceId device);

// Frees memory that its owners have released and that no graph reads any more. Costs two atomic
// loads if no graph was destroyed since the last call.
void trim_kept_memory();

}  // namespace atc::cuda
