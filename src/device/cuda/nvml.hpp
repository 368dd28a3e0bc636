// NVML: facts about a device that the driver API does not have. atc works without NVML: if it is
// absent or forbidden, these facts are unknown, and no call fails.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "device/conditions.hpp"

namespace atc::cuda {

using NvmlDevice = struct NvmlDeviceTag*;  // nvmlDevice_t

// The functions of NVML that atc uses; null if the library lacks one.
struct NvmlApi {
  int (*init)() = nullptr;
  int (*driver_version)(char*, unsigned) = nullptr;
  int (*by_pci)(const char*, NvmlDevice*) = nullptr;
  int (*clock_reasons)(NvmlDevice, unsigned long long*) = nullptr;
  int (*power_limit)(NvmlDevice, unsigned*) = nullptr;       // mW
  int (*clock)(NvmlDevice, int, unsigned*) = nullptr;        // MHz
  int (*temperature)(NvmlDevice, int, unsigned*) = nullptr;  // degrees Celsius
};

struct NvmlLibrary {
  bool loaded = false;
  std::string file;
  std::string driver;   // the version of the driver, "580.65.06"; "" if it is not known
  std::string trouble;  // why NVML cannot be used, or ""
  NvmlApi api;
};

// Opens the library at the first call. From then on the library path cannot be changed. Opens
// nothing if there is no CUDA device.
const NvmlLibrary& nvml();

// Whether these reasons for a device's clocks (nvmlClocksEventReason*) mean that heat or a failing
// power supply slows the device down. The power cap does not count, because it is the same for all
// measurements.
bool is_braked(std::uint64_t reasons);

// Returns the limits of a device's clocks among these reasons, in words: the power cap, and the
// brakes of is_braked. Idleness, and clocks that a user has set, are not limits.
std::vector<std::string> limits_of(std::uint64_t reasons);

// Reads the state of one device. Each race has a monitor of its own.
class Monitor {
 public:
  explicit Monitor(int device_index);

  // Whether the device is slowed down now (is_braked). Returns false if that is not known. `now` is
  // the time in seconds. Within 10 ms the last answer is returned again.
  bool braked(double now);
  // Returns the current conditions. `limits` has all limits that braked() has seen so far.
  Conditions conditions() const;

 private:
  NvmlDevice device_ = nullptr;
  double asked_ = 0;
  bool asked_before_ = false;
  bool braked_ = false;
  std::uint64_t seen_ = 0;  // all reasons for lower clocks that braked() has read so far
};

}  // namespace atc::cuda
