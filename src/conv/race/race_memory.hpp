// Limits the memory of a race, and counts the bytes that the race uses now and the most bytes that
// it has used at once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "core/allocator.hpp"
#include "device/available_memory.hpp"

namespace atc::conv {

// As long as this object exists, all allocations of its thread on the device are counted. An
// allocation beyond the limit throws Error(out_of_memory), and the text of the error names the
// limit. The memory comes from the allocator that the thread has at the moment of the allocation.
// If this allocator is atc's own, CPU memory is allocated by short_term_allocator() instead, so
// that it goes back to the system when it is freed. An allocation may live longer than this object.
//
// Memory that libraries allocate by themselves, such as memory of loaded kernels, is not counted.
class RaceMemory {
 public:
  explicit RaceMemory(DeviceId device);  // there is no limit until limit_to() sets one
  ~RaceMemory();
  RaceMemory(const RaceMemory&) = delete;
  RaceMemory& operator=(const RaceMemory&) = delete;

  // Sets the limit to `bytes`, or to a quarter of `free` if `bytes` is empty. The limit is never
  // more than `free`.
  void limit_to(std::optional<std::uint64_t> bytes, const AvailableMemory& free);
  // Returns the number of bytes that may still be allocated, and the name of the limit for
  // messages.
  AvailableMemory left() const;
  std::uint64_t peak() const;  // the largest number of bytes that were in use at once

 private:
  class Meter;

  const DeviceId device_;
  const std::shared_ptr<Meter> meter_;
  const AllocatorScope scope_;
};

}  // namespace atc::conv
