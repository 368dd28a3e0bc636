// The memory of a race: a limit, the bytes in use, and their peak.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "core/allocator.hpp"
#include "device/available_memory.hpp"

namespace atc::conv {

// As long as this object exists, all allocations of its thread on the device are counted, and an
// allocation beyond the limit throws Error(out_of_memory), whose text names the limit. The memory
// itself comes from the thread's allocator, as it is set at the moment of the allocation; if that
// is atc's own, from one whose CPU memory goes back to the system when it is freed. An allocation
// may live longer than this object. At its end, the freed CPU memory goes back to the system.
//
// Memory that libraries allocate by themselves, such as that of loaded kernels, is not counted.
class RaceMemory {
 public:
  explicit RaceMemory(DeviceId device);  // no limit yet
  ~RaceMemory();
  RaceMemory(const RaceMemory&) = delete;
  RaceMemory& operator=(const RaceMemory&) = delete;

  // Sets the limit in bytes. Empty: a quarter of `free`. Never more than `free`.
  void limit_to(std::optional<std::uint64_t> bytes, const AvailableMemory& free);
  // The bytes that may still be allocated, and the name of the limit for messages.
  AvailableMemory left() const;
  std::uint64_t peak() const;  // the most bytes that were in use at once

 private:
  class Meter;

  const DeviceId device_;
  const std::shared_ptr<Meter> meter_;
  const AllocatorScope scope_;
};

}  // namespace atc::conv
