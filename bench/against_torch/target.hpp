// The only differences between devices: how to wait for one, how much memory to rotate over, and
// its description.
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
  // Bytes of free memory.
  std::uint64_t free_memory() const;
  std::string description() const;
};

// Involuntary context switches of this process's threads.
std::uint64_t interruptions();

// Seconds on a clock that only goes forward.
double now();
