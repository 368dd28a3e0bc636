// Everything in which devices differ: how to wait for a device, how much memory sets of operands
// need, and the description of a device.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <string>

#include "atc/base.h"

class Target {
 public:
  // The only supported `name` of a device is "cpu". With another name the constructor prints a
  // message and exits.
  explicit Target(const std::string& name);

  c10::Device torch() const { return c10::Device(c10::kCPU); }
  atc_device atc() const { return {ATC_DEVICE_CPU, 0}; }
  // Waits until all queued calls have ended. There is nothing to wait for, because a call on the
  // CPU has ended when it returns.
  void synchronize() const {}
  // Returns the bytes of the last-level cache.
  std::uint64_t cache_size() const;
  // Returns the bytes of free memory.
  std::uint64_t free_memory() const;
  std::string description() const;
};

// Returns how often the system has taken a processor away from a thread of this process so far (the
// involuntary context switches).
std::uint64_t interruptions();

// Returns the seconds of a clock that is never set back.
double now();
