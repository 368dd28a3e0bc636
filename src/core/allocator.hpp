// The allocator of workspaces and of the scratch memory of tuning: the caller's if one is set, else
// atc's own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/device_type.hpp"

namespace atc {

class Allocator {
 public:
  virtual ~Allocator() = default;
  // Returns memory aligned to 64 bytes on the CPU and to 256 on CUDA. Returns null if memory runs
  // out. Throws Error if the allocation fails for another reason.
  virtual void* allocate(std::uint64_t size, DeviceId device, Stream stream) = 0;
  virtual void free(void* pointer, DeviceId device, Stream stream) noexcept = 0;
};

// Returns the allocator of this thread's innermost AllocatorScope; null outside of scopes.
std::shared_ptr<Allocator> scoped_allocator();
// Returns the allocator of this thread's innermost AllocatorScope. Outside of scopes it returns the
// allocator that is set.
std::shared_ptr<Allocator> current_allocator();
void set_allocator(std::shared_ptr<Allocator> allocator);  // null: atc's own
std::shared_ptr<Allocator> own_allocator();
// Returns an allocator for large buffers that are needed for a short time: its CPU memory goes back
// to the system when it is freed. Returns null if the current allocator is not atc's own.
std::shared_ptr<Allocator> short_term_allocator();
// Sets the part of atc's own allocator that allocates on CUDA devices. The device layer calls this.
// Only the first call has an effect.
void set_own_cuda_allocator(std::shared_ptr<Allocator> allocator);

// While a scope lives, its thread allocates from `allocator`. If `allocator` is null, the thread
// allocates from the allocator that is set, even inside another scope.
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

// Memory for a scope. The allocator that made it frees it. Throws Error(out_of_memory), which names
// the size; Error(device) if atc's own allocator does not know the device or the device fails;
// Error(internal) if the memory is not aligned as promised. Size 0 allocates nothing.
class Allocation {
 public:
  Allocation() = default;
  Allocation(std::uint64_t size, DeviceId device, Stream stream = nullptr);
  ~Allocation();
  Allocation(Allocation&& other) noexcept;
  Allocation& operator=(Allocation&& other) noexcept;
  void* data() const { return data_; }
  std::uint64_t size() const { return size_; }
  bool is_current() const;  // whether its allocator is the current one; takes no lock

 private:
  std::shared_ptr<Allocator> allocator_;
  void* data_ = nullptr;
  std::uint64_t size_ = 0;
  DeviceId device_;
  Stream stream_ = nullptr;
};

}  // namespace atc
