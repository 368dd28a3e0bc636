// Is there a CUDA driver, and which devices does it show? Nothing else of CUDA is opened here.
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
  int most_block_shared = 0;  // bytes, for kernels that ask for it
  std::uint64_t cache_bytes = 0, memory_bytes = 0;
  std::string pci_bus_id;  // by which other libraries know it; "" where it is not told
};

struct DriverProbe {
  bool loaded = false;  // libcuda.so.1 was opened
  std::string file;     // that it was loaded from
  int version = 0;      // as CUDA numbers it: 13000 is 13.0
  std::string trouble;  // why there are no devices, or ""
  std::string lacking;  // the first function that using a device takes and the driver lacks, or ""
  std::vector<DeviceSummary> devices;
  DriverApi api;  // whole where there are devices and nothing is lacking
};

// Looked for at the first call, once; the library path is settled by it. A build without the CUDA
// parts looks for nothing. In a child of a process that had devices there are none.
const DriverProbe& driver();

// Empty, or why a library that was built for this version of CUDA's runtime (13000 is 13.0) cannot
// work with the driver: one of the same major version will do.
std::string too_old_for(const std::string& file, std::size_t runtime_version);

// Throws Error(device) in such a child: the driver does not survive a fork. Looks for nothing.
void require_own_driver(const std::string& what);

}  // namespace atc::cuda
