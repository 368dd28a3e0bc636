// Allocators for workspaces and for the scratch memory of tuning. The caller's allocator is used if
// one is set. Otherwise atc's own allocator is used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/device_type.hpp"

namespace atc {

class Allocator {
 public:
  virtual ~Allocator() = default;
  // Returns memory that is aligned to 64 bytes on the CPU and to 256 bytes on CUDA. Returns null if
  // there is not enough memory. Throws Error if the allocation fails for another reason.
  virtual void* allocate(std::uint64_t size, DeviceId device, Stream stream) = 0;
  virtual void free(void* pointer, DeviceId device, Stream stream) noexcept = 0;
};

// Returns the allocator that the innermost AllocatorScope object has set for this thread. Returns
// null if the thread has no such object.
std::shared_ptr<Allocator> scoped_allocator();
// Returns the allocator that the innermost AllocatorScope object has set for this thread. If the
// thread has no such object, returns the allocator that was set by set_allocator, or atc's own.
std::shared_ptr<Allocator> current_allocator();
void set_allocator(std::shared_ptr<Allocator> allocator);  // null: atc's own allocator is used
std::shared_ptr<Allocator> own_allocator();
// Returns an allocator for large buffers that are needed for a short time. Its CPU memory goes back
// to the system when the memory is freed. Returns null if the current allocator is not atc's own.
std::shared_ptr<Allocator> short_term_allocator();
// Sets the part of atc's own allocator that allocates memory of CUDA devices. The device layer
// calls this function. Only the first call has an effect.
void set_own_cuda_allocator(std::shared_ptr<Allocator> allocator);

// As long as an object of this class exists, the thread that made it allocates from `allocator`. If
// `allocator` is null, the thread allocates from the allocator of set_allocator, even if an outer
// AllocatorScope has set another one.
class AllocatorScope {
 public:
  explicit AllocatorScope(std::shared_ptr<Allocator> allocator);
  ~AllocatorScope();
  AllocatorScope(const AllocatorScope&) = delete;
  AllocatorScope& operator=(const AllocatorScope&) = delete;

 private:
  const std::shared_ptr<Allocator> allocator_;
  const std::shared_ptr<Allocator>* const outer_;
};

// Memory that is freed at the end of a C++ scope, by the allocator that allocated it. If the size
// is 0, nothing is allocated. The constructor throws Error(out_of_memory), which states the size;
// Error(device) if the device fails or atc's own allocator does not know the device; and
// Error(internal) if the memory is not aligned as promised.
class Allocation {
 public:
  Allocation() = default;
  Allocation(std::uint64_t size, DeviceId device, Stream stream = nullptr);
  ~Allocation();
  Allocation(Allocation&& other) noexcept;
  Allocation& operator=(Allocation&& other) noexcept;
  void* data() const { return data_; }
  std::uint64_t size() const { return size_; }
  // Whether the memory was allocated by the allocator that is current now. Takes no lock.
  bool is_current() const;

 private:
  std::shared_ptr<Allocator> allocator_;
  void* data_ = nullptr;
  std::uint64_t size_ = 0;
  DeviceId device_;
  Stream stream_ = nullptr;
};

}  // namespace atc
