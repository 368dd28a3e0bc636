#include "device/cuda/driver_probe.hpp"

#include <dlfcn.h>

#include <atomic>

#include "core/allocator.hpp"
#include "core/error.hpp"
#include "core/format.hpp"
#include "core/settings.hpp"
#include "device/cuda/memory.hpp"
#include "device/fork.hpp"

namespace atc::cuda {

namespace {

constexpr const char* kLibrary = "libcuda.so.1";

void* open_driver() {
  for (const std::string& directory : settle_library_path())
    if (void* const handle = dlopen((directory + "/" + kLibrary).c_str(), RTLD_NOW | RTLD_LOCAL))
      return handle;
  return dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
}

DeviceSummary summarize(const DriverApi& api, int index) {
  DeviceSummary summary;
  int device = 0;
  if (api.device_get(&device, index) != kSuccess) return summary;
  const auto attribute = [&](int which) {
    int value = 0;
    return api.device_attribute(&value, which, device) == kSuccess ? value : 0;
  };
  char name[128] = "";
  if (api.device_name(name, sizeof(name), device) == kSuccess) summary.name = name;
  summary.multiprocessors = attribute(kMultiprocessorCount);
  summary.compute_major = attribute(kComputeMajor);
  summary.compute_minor = attribute(kComputeMinor);
  summary.most_block_shared = attribute(kMostBlockShared);
  summary.cache_bytes = static_cast<std::uint64_t>(attribute(kL2CacheSize));
  std::size_t memory = 0;
  if (api.device_memory(&memory, device) == kSuccess) summary.memory_bytes = memory;
  char place[32] = "";
  if (api.device_pci_bus_id != nullptr &&
      api.device_pci_bus_id(place, sizeof(place), device) == kSuccess)
    summary.pci_bus_id = place;
  return summary;
}

DriverProbe look() {
  DriverProbe probe;
  void* const handle = open_driver();
  if (handle == nullptr) {
    probe.trouble = "libcuda.so.1 was not found: CUDA devices cannot be used";
    return probe;
  }
  probe.loaded = true;
  DriverApi& api = probe.api;
  if (!api.load_looking(handle).empty()) {
    probe.trouble = "libcuda.so.1 lacks functions of the driver API: CUDA devices cannot be used";
    return probe;
  }
  probe.lacking = api.load_using(handle);
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(api.init), &info) != 0) probe.file = info.dli_fname;
  api.driver_version(&probe.version);
  int count = 0;
  Result result = api.init(0);
  if (result == kSuccess) result = api.device_count(&count);
  if (result != kSuccess) {
    probe.trouble =
        format("the driver refused with CUresult {}: CUDA devices cannot be used", result);
    return probe;
  }
  for (int i = 0; i < count; ++i) probe.devices.push_back(summarize(api, i));
  if (count == 0) probe.trouble = "the driver shows no device";
  set_own_cuda_allocator(stream_ordered_allocator());
  return probe;
}

constexpr const char* kLostInFork =
    "a parent process opened the CUDA driver, which does not survive a fork: use CUDA in that "
    "process, or exec in the child";

struct Opened {
  DriverProbe probe = look();
  unsigned forks = forks_behind();
};

std::atomic<const Opened*> opened{nullptr};

// Whether the driver found devices in a parent process before a fork. The devices cannot be used in
// the child. A process that had found no devices loses nothing by a fork.
bool lost(const Opened& known) {
  return !known.probe.devices.empty() && known.forks != forks_behind();
}

}  // namespace

const DriverProbe& driver() {
  static const Opened* const known = new Opened;
  opened = known;
  if (!lost(*known)) return known->probe;
  static const DriverProbe* const of_child = [] {
    auto* const probe = new DriverProbe(known->probe);
    probe->devices.clear();
    probe->trouble = kLostInFork;
    return probe;
  }();
  return *of_child;
}

std::string too_old_for(const std::string& file, std::size_t runtime_version) {
  const auto version = static_cast<std::size_t>(driver().version);
  if (version / 1000 >= runtime_version / 1000) return "";
  return format(
      "the driver is for CUDA {}.{}: install a newer driver, or name the folder of a library for "
      "CUDA {} with ATC_LIBRARY_PATH ({} was built for CUDA {}.{})",
      version / 1000, version % 1000 / 10, version / 1000, file, runtime_version / 1000,
      runtime_version % 1000 / 10);
}

void require_own_driver(const std::string& what) {
  const Opened* const known = opened;
  if (known != nullptr && lost(*known)) fail(Status::device, "{}: {}", what, kLostInFork);
}

}  // namespace atc::cuda
