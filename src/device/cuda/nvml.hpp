// Reads facts about a device that the CUDA driver does not return, such as its temperature, from
// NVIDIA's library NVML. atc works without NVML: if NVML is missing or may not be used, these facts
// are unknown, and no call fails.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "device/conditions.hpp"

namespace atc::cuda {

using NvmlDevice = struct NvmlDeviceTag*;  // nvmlDevice_t

// The functions of NVML that atc uses. A function that the library does not have is null.
struct NvmlApi {
  int (*init)() = nullptr;
  int (*driver_version)(char*, unsigned) = nullptr;
  int (*by_pci)(const char*, NvmlDevice*) = nullptr;
  int (*clock_reasons)(NvmlDevice, unsigned long long*) = nullptr;
  int (*power_limit)(NvmlDevice, unsigned*) = nullptr;       // returns mW
  int (*clock)(NvmlDevice, int, unsigned*) = nullptr;        // returns MHz
  int (*temperature)(NvmlDevice, int, unsigned*) = nullptr;  // returns degrees Celsius
};

struct NvmlLibrary {
  bool loaded = false;
  std::string file;
  std::string driver;   // the version of the driver, "580.65.06"; "" if it is not known
  std::string trouble;  // the reason why NVML cannot be used, or ""
  NvmlApi api;
};

// Returns the library, and opens it at the first call. After the first call the library path cannot
// be changed. If there is no CUDA device, no library is opened.
const NvmlLibrary& nvml();

// Whether heat or a failing power supply slows the device down. `reasons` is the bit mask of NVML's
// reasons for the current clocks (nvmlClocksEventReason*). The power cap does not count, because it
// is the same for all measurements.
bool is_braked(std::uint64_t reasons);

// Returns the names of those `reasons` that limit the clocks: the power cap, heat, and a failing
// power supply. Idleness and clocks that a user has set do not count as limits.
std::vector<std::string> limits_of(std::uint64_t reasons);

// Reads the state of one device while candidates are measured. Each tuning of a problem (race) has
// its own monitor.
class Monitor {
 public:
  explicit Monitor(int device_index);

  // Returns whether heat or a failing power supply slows the device down now. Returns false if this
  // is not known. `now` is the time in seconds. NVML is queried at most once in 10 ms; in between,
  // the last answer is returned.
  bool braked(double now);
  // Returns the current conditions of the device, such as its clocks. The member
  // `clocks_limited_by` contains all limits that braked() has seen so far.
  Conditions conditions() const;

 private:
  NvmlDevice device_ = nullptr;
  double asked_ = 0;
  bool asked_before_ = false;
  bool braked_ = false;
  std::uint64_t seen_ = 0;  // all reasons (a bit mask) that braked() has read so far
};

}  // namespace atc::cuda
