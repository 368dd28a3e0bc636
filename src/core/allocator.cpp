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

// atc's own allocator: host memory comes from the C library, CUDA memory from the device layer.
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
    return cuda_.get();  // set once
  }

  HostAllocator host_;
  std::mutex mutex_;
  std::shared_ptr<Allocator> cuda_;
};

// Like atc's own allocator, but each allocation of CPU memory has pages of its own.
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
  static constexpr std::size_t kHeader = 4096;  // holds the size; keeps the alignment of a page

  const std::shared_ptr<Allocator> own_;
};

struct State {
  const std::shared_ptr<OwnAllocator> own = std::make_shared<OwnAllocator>();
  const std::shared_ptr<Allocator> short_term = std::make_shared<ShortTermAllocator>(own);
  std::mutex mutex;
  std::shared_ptr<Allocator> current = own;
  // The address of the allocator in `current`, which can be compared without the lock.
  std::atomic<const Allocator*> identity{own.get()};
};

State& state() {
  static auto* const state = new State;  // never destroyed: memory is freed during exit, too
  return *state;
}

// The allocator of the innermost AllocatorScope of this thread. It is null outside of scopes.
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
  }  // the previous allocator is released outside the lock; live allocations keep it alive
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

// The allocation keeps its allocator alive. Otherwise a later allocator could get the same address,
// and would be taken for the allocation's own.
bool Allocation::is_current() const {
  if (scoped != nullptr) return allocator_ == *scoped;
  return allocator_.get() == state().identity.load(std::memory_order_acquire);
}

}  // namespace atc
