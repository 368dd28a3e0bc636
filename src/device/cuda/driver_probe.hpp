// Whether there is a CUDA driver, and which devices it reports. Nothing else of CUDA is opened
// here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "device/cuda/driver_api.hpp"

namespace atc::cuda {

struct DeviceSummary {
  std::string name;
  int multiprocessors = 0;
  int compute_major = 0, compute_minor = 0;
  int most_block_shared =
      0;  // the most shared memory in bytes that a block may have if its kernel raises the limit
  std::uint64_t cache_bytes = 0, memory_bytes = 0;
  std::string pci_bus_id;  // the PCI address, by which other libraries know the device; "" if it is
                           // not known
};

struct DriverProbe {
  bool loaded = false;  // libcuda.so.1 was opened
  std::string file;     // the file from which the driver was loaded
  int version = 0;      // in CUDA's numbering: 13000 is 13.0
  std::string trouble;  // why no device can be used, or ""
  std::string lacking;  // the first function that the driver lacks and that atc needs, or ""
  std::vector<DeviceSummary> devices;
  DriverApi api;  // the driver's functions; complete if there are devices and `lacking` is ""
};

// Looks for the driver at the first call. From then on the library path cannot be changed. A build
// without the CUDA parts looks for nothing. In a forked child of a process that had found devices,
// `devices` is empty.
const DriverProbe& driver();

// Returns why a library that was built for this version of CUDA's runtime (13000 is 13.0) cannot
// work with the driver; "" if it can. It can if the driver's major version is the same or later.
std::string too_old_for(const std::string& file, std::size_t runtime_version);

// In a forked child of a process that had found devices, throws Error(device), because the driver
// does not survive a fork. Does not look for the driver.
void require_own_driver(const std::string& what);

}  // namespace atc::cuda
