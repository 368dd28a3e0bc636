// Everything in which devices differ: how to wait for a device, how much memory sets of operands
// need, and the description of a device.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <string>

#include "atc/base.h"

class Target {
 public:
  // `name` is "cpu". If this build cannot measure on the device, prints a message and exits.
  explicit Target(const std::string& name);

  c10::Device torch() const { return c10::Device(c10::kCPU); }
  atc_device atc() const { return {ATC_DEVICE_CPU, 0}; }
  // Waits until everything that was queued has ended. A call on the CPU has ended when it returns.
  void synchronize() const {}
  // Returns the bytes of the last-level cache.
  std::uint64_t cache_size() const;
  // Returns the bytes of free memory.
  std::uint64_t free_memory() const;
  std::string description() const;
};

// Returns how often threads of this process had to give up a processor.
std::uint64_t interruptions();

// Returns the seconds of a clock that is never set back.
double now();
