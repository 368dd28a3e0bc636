#include "core/allocator.hpp"

#include <atomic>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <utility>

#include "core/error.hpp"

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

struct Slot {
  const std::shared_ptr<Allocator> own = std::make_shared<HostAllocator>();
  std::mutex mutex;
  std::shared_ptr<Allocator> current = own;
  // The same pointer, to be compared without the lock.
  std::atomic<const Allocator*> identity{own.get()};
};

Slot& slot() {
  static Slot* const slot = new Slot;  // memory is given back while the process exits
  return *slot;
}

}  // namespace

std::shared_ptr<Allocator> current_allocator() {
  const std::lock_guard lock(slot().mutex);
  return slot().current;
}

void set_allocator(std::shared_ptr<Allocator> allocator) {
  Slot& here = slot();
  if (allocator == nullptr) allocator = here.own;
  {
    const std::lock_guard lock(here.mutex);
    here.current.swap(allocator);
    here.identity.store(here.current.get(), std::memory_order_release);
  }  // the one before goes outside the lock, unless memory of it lives
}

Allocation::Allocation(std::uint64_t size, DeviceId device, Stream stream) {
  if (size == 0) return;
  auto allocator = current_allocator();
  if (device.type == DeviceType::cuda && allocator == slot().own)
    fail(Status::device,
         "{} bytes on cuda:{}: this version of atc has no CUDA memory of its own, set an allocator",
         size, device.index);
  void* const data = allocator->allocate(size, device, stream);
  if (data == nullptr)
    fail(Status::out_of_memory, "no memory for {} bytes: free some or lower the workspace limit",
         size);
  const auto alignment = device.type == DeviceType::cpu ? kCpuAlignment : kCudaAlignment;
  if (reinterpret_cast<std::uintptr_t>(data) % alignment != 0) {
    allocator->free(data, device, stream);
    fail(Status::internal, "the allocator that was set returned {}, which is not aligned to {}",
         data, alignment);
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

// The allocator of live memory is kept alive by it, so its address stands for it.
bool Allocation::is_current() const {
  return allocator_.get() == slot().identity.load(std::memory_order_acquire);
}

}  // namespace atc
