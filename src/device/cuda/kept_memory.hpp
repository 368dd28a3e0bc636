// Device memory that queued work and CUDA graphs may go on reading when its owner lets go of it.
#pragma once

#include <cstdint>
#include <memory>

#include "core/device_type.hpp"

namespace atc::cuda {

// Weights that were set, for example. From atc's own allocator, because the memory may outlive the
// plan; freed in the order of the legacy stream, behind the work that reads it, once no graph does.
// Empty by default.
class KeptMemory {
 public:
  KeptMemory();
  KeptMemory(std::uint64_t size, DeviceId device);  // on the legacy stream
  ~KeptMemory();
  KeptMemory(KeptMemory&& other) noexcept;
  KeptMemory& operator=(KeptMemory&& other) noexcept;

  void* data() const;
  // After work that reads the memory was given to `stream`, a stream of the current context.
  void read_on(Stream stream);

  struct State;

 private:
  void let_go() noexcept;

  std::unique_ptr<State> state_;
};

// A copy of device memory, made on the legacy stream and complete when the function returns.
KeptMemory kept_copy(const void* from, std::uint64_t size, DeviceId device);

// Frees memory whose owners have let go of it and that no graph reads any more. Costs two atomic
// loads if no graph has gone since the last call.
void trim_kept_memory();

}  // namespace atc::cuda
