// What differs between devices, and nothing else does: how to wait for one, how much to rotate
// over, and what its texts are.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <string>

#include "atc/base.h"

class Target {
 public:
  // "cpu". Exits with a message for a device this build cannot measure on.
  explicit Target(const std::string& name);

  c10::Device torch() const { return c10::Device(c10::kCPU); }
  atc_device atc() const { return {ATC_DEVICE_CPU, 0}; }
  // Everything queued has ended. A CPU call has ended when it returns.
  void synchronize() const {}
  // Bytes of the last-level cache.
  std::uint64_t cache_size() const;
  // Bytes of memory that nobody is using.
  std::uint64_t free_memory() const;
  std::string description() const;
};

// How often a thread of this process had to leave its processor to another process.
std::uint64_t interruptions();

// Seconds on a clock that only goes forward.
double now();
