#include "conv/race/race_memory.hpp"

#include <algorithm>
#include <limits>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "core/error.hpp"
#include "core/format.hpp"
#include "core/mapped_memory.hpp"

namespace atc::conv {

namespace {

// If no limit is set, a race may take the free memory divided by this number.
constexpr std::uint64_t kPartOfFree = 4;

}  // namespace

// Counts the allocations on one device. Allocations on other devices are passed on and not counted.
class RaceMemory::Meter final : public Allocator {
 public:
  Meter(DeviceId device, std::shared_ptr<Allocator> outer)
      : device_(device), outer_(std::move(outer)) {}

  void* allocate(std::uint64_t size, DeviceId device, Stream stream) override {
    const AllocatorScope outside(outer_);
    std::shared_ptr<Allocator> inner = short_term_allocator();
    if (inner == nullptr) inner = current_allocator();
    if (device == device_) take(size);
    void* memory = nullptr;
    try {
      memory = inner->allocate(size, device, stream);
      if (memory != nullptr) note(memory, {size, device, inner});
    } catch (...) {
      if (memory != nullptr) inner->free(memory, device, stream);
      if (device == device_) give_back(size);
      throw;
    }
    if (memory == nullptr && device == device_) give_back(size);
    return memory;
  }

  void free(void* pointer, DeviceId device, Stream stream) noexcept override {
    Block block;
    {
      const std::lock_guard lock(mutex_);
      const auto known = blocks_.find(pointer);
      block = std::move(known->second);
      blocks_.erase(known);
    }
    block.allocator->free(pointer, device, stream);
    if (device == device_) give_back(block.size);
  }

  void limit_to(std::uint64_t limit, std::string name) {
    const std::lock_guard lock(mutex_);
    limit_ = limit;
    name_ = std::move(name);
  }
  AvailableMemory left() const {
    const std::lock_guard lock(mutex_);
    return {limit_ - std::min(used_, limit_), name_};
  }
  std::uint64_t peak() const {
    const std::lock_guard lock(mutex_);
    return peak_;
  }

 private:
  struct Block {
    std::uint64_t size = 0;
    DeviceId device;
    std::shared_ptr<Allocator> allocator;
  };

  void take(std::uint64_t size) {
    const std::lock_guard lock(mutex_);
    if (used_ > limit_ || size > limit_ - used_)
      fail(Status::out_of_memory, "{} MiB are needed, and {} leaves {} MiB", (size >> 20) + 1,
           name_, (limit_ - std::min(used_, limit_)) >> 20);
    used_ += size;
    peak_ = std::max(peak_, used_);
  }
  void give_back(std::uint64_t size) noexcept {
    const std::lock_guard lock(mutex_);
    used_ -= size;
  }
  void note(void* pointer, Block block) {
    const std::lock_guard lock(mutex_);
    blocks_.emplace(pointer, std::move(block));
  }

  const DeviceId device_;
  // The allocator that the caller of the race has set for this thread (AllocatorScope); null: there
  // is none.
  const std::shared_ptr<Allocator> outer_;
  mutable std::mutex mutex_;
  std::unordered_map<void*, Block> blocks_;
  std::uint64_t limit_ = std::numeric_limits<std::uint64_t>::max(), used_ = 0, peak_ = 0;
  std::string name_ = "the limit of the race";
};

RaceMemory::RaceMemory(DeviceId device)
    : device_(device),
      meter_(std::make_shared<Meter>(device, scoped_allocator())),
      scope_(meter_) {}

RaceMemory::~RaceMemory() {
  if (device_.type == DeviceType::cpu) trim_heap();
}

void RaceMemory::limit_to(std::optional<std::uint64_t> bytes, const AvailableMemory& free) {
  if (bytes && *bytes <= free.bytes)
    meter_->limit_to(*bytes, format("race_memory_limit ({} MiB)", *bytes >> 20));
  else if (bytes)
    meter_->limit_to(free.bytes, free.limit);
  else if (free.bytes != std::numeric_limits<std::uint64_t>::max())
    meter_->limit_to(free.bytes / kPartOfFree,
                     format("a quarter of {} (race_memory_limit sets another limit)", free.limit));
}

AvailableMemory RaceMemory::left() const { return meter_->left(); }

std::uint64_t RaceMemory::peak() const { return meter_->peak(); }

}  // namespace atc::conv
