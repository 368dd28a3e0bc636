// NVML: what the driver API does not tell of a device. Context alone: where it is absent or
// forbidden nothing is known of the device, and nothing fails for it.
#pragma once

#include <cstdint>
#include <string>

#include "device/conditions.hpp"

namespace atc::cuda {

using NvmlDevice = struct NvmlDeviceTag*;  // nvmlDevice_t

// What atc uses of it; a function that the library lacks is null.
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
  std::string driver;   // the driver's own version, "580.65.06"; "" where it is not told
  std::string trouble;  // why nothing can be asked, or ""
  NvmlApi api;
};

// Opened at the first call, once; the library path is settled by it. Opens nothing where there is
// no CUDA device.
const NvmlLibrary& nvml();

// Whether these reasons for its clocks (nvmlClocksEventReason*) say that heat or a failing supply
// slows a device down. The power cap does not: it is steady, and measured under like anything else.
bool is_braked(std::uint64_t reasons);

// One device, watched.
class Monitor {
 public:
  explicit Monitor(int device_index);

  // Whether the device is braked now; false where that cannot be told. `now` is in seconds: what is
  // asked for again within a moment is answered from memory.
  bool braked(double now);
  Conditions conditions() const;

 private:
  NvmlDevice device_ = nullptr;
  double asked_ = 0;
  bool asked_before_ = false;
  bool braked_ = false;
};

}  // namespace atc::cuda
