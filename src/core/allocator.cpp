#include "core/allocator.hpp"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <mutex>
#include <utility>

#include "core/error.hpp"
#include "core/mapped_memory.hpp"

namespace atc {

namespace {

constexpr std::uint64_t kCpuAlignment = 64;
constexpr std::uint64_t kCudaAlignment = 256;

class HostAllocator final : public Allocator {
 public:
  void* allocate(std::uint64_t size, DeviceId device, Stream) noexcept override {
    constexpr std::uint64_t kMost = std::numeric_limits<std::size_t>::max() - kCpuAlignment;
    if (device.type != DeviceType::cpu || size > kMost) return nullptr;
    return std::aligned_alloc(kCpuAlignment, (size + kCpuAlignment - 1) & ~(kCpuAlignment - 1));
  }
  void free(void* pointer, DeviceId, Stream) noexcept override { std::free(pointer); }
};

// atc's own allocator. Host memory is allocated by the C library, and CUDA memory by the device
// layer.
class OwnAllocator final : public Allocator {
 public:
  void* allocate(std::uint64_t size, DeviceId device, Stream stream) override {
    Allocator* const known = of(device);
    return known == nullptr ? nullptr : known->allocate(size, device, stream);
  }
  void free(void* pointer, DeviceId device, Stream stream) noexcept override {
    of(device)->free(pointer, device, stream);
  }

  bool serves(DeviceId device) { return of(device) != nullptr; }
  void set_cuda(std::shared_ptr<Allocator> allocator) {
    const std::lock_guard lock(mutex_);
    if (cuda_ == nullptr) cuda_ = std::move(allocator);
  }

 private:
  Allocator* of(DeviceId device) {
    if (device.type == DeviceType::cpu) return &host_;
    const std::lock_guard lock(mutex_);
    // cuda_ is set only once, so the returned pointer remains valid after the lock is released
    return cuda_.get();
  }

  HostAllocator host_;
  std::mutex mutex_;
  std::shared_ptr<Allocator> cuda_;
};

// Allocates as atc's own allocator does, except that each allocation of CPU memory has pages of its
// own. So the system gets these pages back when the memory is freed.
class ShortTermAllocator final : public Allocator {
 public:
  explicit ShortTermAllocator(std::shared_ptr<Allocator> own) : own_(std::move(own)) {}

  void* allocate(std::uint64_t size, DeviceId device, Stream stream) override {
    if (device.type != DeviceType::cpu) return own_->allocate(size, device, stream);
    if (size > std::numeric_limits<std::size_t>::max() - kHeader) return nullptr;
    auto* const pages = static_cast<std::byte*>(map_pages(kHeader + size));
    if (pages == nullptr) return nullptr;
    std::memcpy(pages, &size, sizeof(size));
    return pages + kHeader;
  }
  void free(void* pointer, DeviceId device, Stream stream) noexcept override {
    if (device.type != DeviceType::cpu) return own_->free(pointer, device, stream);
    auto* const pages = static_cast<std::byte*>(pointer) - kHeader;
    std::uint64_t size = 0;
    std::memcpy(&size, pages, sizeof(size));
    unmap_pages(pages, kHeader + size);
  }

 private:
  // The size, in bytes, of a header in front of the memory. The header contains the size of the
  // allocation, so that free() knows it. It takes a whole page, so that the memory after it is
  // aligned to a page.
  static constexpr std::size_t kHeader = 4096;

  const std::shared_ptr<Allocator> own_;
};

struct State {
  const std::shared_ptr<OwnAllocator> own = std::make_shared<OwnAllocator>();
  const std::shared_ptr<Allocator> short_term = std::make_shared<ShortTermAllocator>(own);
  std::mutex mutex;
  std::shared_ptr<Allocator> current = own;
  // The address of the allocator in `current`. It is kept separately so that is_current() can
  // compare it without locking the mutex.
  std::atomic<const Allocator*> identity{own.get()};
};

State& state() {
  // This static object is never destroyed, because memory is also freed while the process exits.
  static auto* const state = new State;
  return *state;
}

// The allocator that the innermost AllocatorScope object has set for this thread. Null if there is
// no such object.
thread_local const std::shared_ptr<Allocator>* scoped = nullptr;

}  // namespace

AllocatorScope::AllocatorScope(std::shared_ptr<Allocator> allocator)
    : allocator_(std::move(allocator)), outer_(scoped) {
  scoped = allocator_ == nullptr ? nullptr : &allocator_;
}

AllocatorScope::~AllocatorScope() { scoped = outer_; }

std::shared_ptr<Allocator> scoped_allocator() { return scoped == nullptr ? nullptr : *scoped; }

std::shared_ptr<Allocator> current_allocator() {
  if (scoped != nullptr) return *scoped;
  const std::lock_guard lock(state().mutex);
  return state().current;
}

void set_allocator(std::shared_ptr<Allocator> allocator) {
  State& here = state();
  if (allocator == nullptr) allocator = here.own;
  {
    const std::lock_guard lock(here.mutex);
    here.current.swap(allocator);
    here.identity.store(here.current.get(), std::memory_order_release);
  }
  // Here `allocator` is the previous allocator, which is released outside of the lock. It lives on
  // as long as memory that it allocated is in use, because each Allocation holds its allocator.
}

std::shared_ptr<Allocator> short_term_allocator() {
  return current_allocator() == state().own ? state().short_term : nullptr;
}

std::shared_ptr<Allocator> own_allocator() { return state().own; }

void set_own_cuda_allocator(std::shared_ptr<Allocator> allocator) {
  state().own->set_cuda(std::move(allocator));
}

Allocation::Allocation(std::uint64_t size, DeviceId device, Stream stream) {
  if (size == 0) return;
  auto allocator = current_allocator();
  const bool ours = allocator == state().own || allocator == state().short_term;
  if (ours && !state().own->serves(device))
    fail(Status::device, "{} bytes on cuda:{}: there is no CUDA device in use", size, device.index);
  void* const data = allocator->allocate(size, device, stream);
  if (data == nullptr)
    fail(Status::out_of_memory, "no memory for {} bytes: free some or lower the workspace limit",
         size);
  const auto alignment = device.type == DeviceType::cpu ? kCpuAlignment : kCudaAlignment;
  if (reinterpret_cast<std::uintptr_t>(data) % alignment != 0) {
    allocator->free(data, device, stream);
    fail(Status::internal, "the caller's allocator returned {}, which is not aligned to {}", data,
         alignment);
  }
  allocator_ = std::move(allocator);
  data_ = data;
  size_ = size;
  device_ = device;
  stream_ = stream;
}

Allocation::~Allocation() {
  if (data_ != nullptr) allocator_->free(data_, device_, stream_);
}

Allocation::Allocation(Allocation&& other) noexcept
    : allocator_(std::move(other.allocator_)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      device_(other.device_),
      stream_(other.stream_) {}

Allocation& Allocation::operator=(Allocation&& other) noexcept {
  Allocation moved(std::move(other));
  std::swap(allocator_, moved.allocator_);
  std::swap(data_, moved.data_);
  std::swap(size_, moved.size_);
  std::swap(device_, moved.device_);
  std::swap(stream_, moved.stream_);
  return *this;
}

// It suffices to compare addresses: this object keeps its allocator alive, so no other allocator
// can have the same address.
bool Allocation::is_current() const {
  if (scoped != nullptr) return allocator_ == *scoped;
  return allocator_.get() == state().identity.load(std::memory_order_acquire);
}

}  // namespace atc
