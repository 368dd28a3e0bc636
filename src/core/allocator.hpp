// Where workspaces and the scratch memory of tuning come from: the caller's allocator where one is
// set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/device_type.hpp"

namespace atc {

class Allocator {
 public:
  virtual ~Allocator() = default;
  // Null when there is no memory, Error where that is not the reason. Aligned to 64 bytes on the
  // CPU, 256 on CUDA.
  virtual void* allocate(std::uint64_t size, DeviceId device, Stream stream) = 0;
  virtual void free(void* pointer, DeviceId device, Stream stream) noexcept = 0;
};

std::shared_ptr<Allocator> current_allocator();
void set_allocator(std::shared_ptr<Allocator> allocator);  // null: our own
std::shared_ptr<Allocator> own_allocator();
// Our own for CUDA devices, from the layer that knows them.
void set_own_cuda_allocator(std::shared_ptr<Allocator> allocator);

// Memory for a scope; freed by the allocator it came from. Throws Error(out_of_memory), which names
// the size, Error(device) where there is no allocator for the device or this does not work,
// Error(internal) when an allocator breaks its promise of alignment. Size 0 allocates nothing.
class Allocation {
 public:
  Allocation() = default;
  Allocation(std::uint64_t size, DeviceId device, Stream stream = nullptr);
  ~Allocation();
  Allocation(Allocation&& other) noexcept;
  Allocation& operator=(Allocation&& other) noexcept;
  void* data() const { return data_; }
  std::uint64_t size() const { return size_; }
  bool is_current() const;  // no other allocator was set since; takes no lock

 private:
  std::shared_ptr<Allocator> allocator_;
  void* data_ = nullptr;
  std::uint64_t size_ = 0;
  DeviceId device_;
  Stream stream_ = nullptr;
};

}  // namespace atc
