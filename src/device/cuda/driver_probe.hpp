// Finds out whether there is a CUDA driver, and which devices it reports. This code opens no other
// library of CUDA.
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
  // The largest number of bytes of shared memory that a block can have. A kernel gets more than
  // CUDA's default limit only if its own limit was raised before.
  int most_block_shared = 0;
  std::uint64_t cache_bytes = 0, memory_bytes = 0;
  // The PCI address, by which other libraries identify the device; "" if it is not known.
  std::string pci_bus_id;
};

struct DriverProbe {
  bool loaded = false;  // true if libcuda.so.1 was opened
  std::string file;     // the file from which the driver was loaded
  int version = 0;      // the version of the driver as CUDA numbers it: 13000 is 13.0
  std::string trouble;  // the reason why no device can be used, or ""
  // The name of the first function that atc needs and the driver does not have, or "".
  std::string lacking;
  std::vector<DeviceSummary> devices;
  DriverApi api;  // the driver's functions; complete if there are devices and `lacking` is ""
};

// Returns what is known about the driver. The first call searches for the driver; after that the
// setting "library path" cannot be changed. A build without the CUDA parts does not search. In a
// forked child of a process that had found devices, `devices` is empty.
const DriverProbe& driver();

// Returns the reason why the library in `file` cannot work with the driver; "" if the library can.
// The driver's major version must be at least that of the CUDA runtime for which the library was
// built (`runtime_version`; 13000 is 13.0).
std::string too_old_for(const std::string& file, std::size_t runtime_version);

// Throws Error(device) in a forked child of a process that had found devices, because the driver
// does not work after a fork. `what` is the beginning of the text. Does not search for the driver.
void require_own_driver(const std::string& what);

}  // namespace atc::cuda
