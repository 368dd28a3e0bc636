#include "device/cuda/nvml.hpp"

#include <algorithm>
#include <iterator>

#include "core/format.hpp"
#include "device/cuda/driver_probe.hpp"
#include "device/cuda/library_search.hpp"
#include "device/cuda/symbols.hpp"

namespace atc::cuda {

namespace {

constexpr int kDone = 0;                            // NVML_SUCCESS
constexpr int kClockOfSms = 1, kClockOfMemory = 2;  // nvmlClockType_t
constexpr int kSensorOfGpu = 0;                     // nvmlTemperatureSensors_t

struct Limit {
  std::uint64_t reason;  // nvmlClocksEventReason…
  bool brakes;
  const char* words;
};
constexpr Limit kLimits[] = {{0x4, false, "power cap"},
                             {0x8, true, "hardware slowdown"},
                             {0x20, true, "software thermal slowdown"},
                             {0x40, true, "hardware thermal slowdown"},
                             {0x80, true, "power brake"}};

// NVML is queried at most once in this number of seconds. NVML does not renew its readings more
// often, and a query takes as long as a short batch of measured calls.
constexpr double kFreshSeconds = 10e-3;

void load(void* handle, NvmlApi& api) {
  Symbols find(handle);
  find("nvmlInit_v2", api.init);
  find("nvmlSystemGetDriverVersion", api.driver_version);
  find("nvmlDeviceGetHandleByPciBusId_v2", api.by_pci);
  find("nvmlDeviceGetCurrentClocksEventReasons", api.clock_reasons);
  // Older versions of NVML have this function only under the next name.
  if (api.clock_reasons == nullptr)
    find("nvmlDeviceGetCurrentClocksThrottleReasons", api.clock_reasons);
  find("nvmlDeviceGetPowerManagementLimit", api.power_limit);
  find("nvmlDeviceGetClockInfo", api.clock);
  find("nvmlDeviceGetTemperature", api.temperature);
}

constexpr const char* kCost = "brakes of the clocks are seen by their effect alone";

NvmlLibrary look() {
  NvmlLibrary library;
  if (driver().devices.empty()) {
    library.trouble = "not looked for, because no CUDA device can be used";
    return library;
  }
  const FoundLibrary found = find_library({{"libnvidia-ml.so.1"}, {}});
  if (found.handle == nullptr) {
    library.trouble = format("libnvidia-ml.so.1 was not found: {}", kCost);
    return library;
  }
  library.loaded = true;
  library.file = found.file;
  load(found.handle, library.api);
  if (library.api.init == nullptr || library.api.by_pci == nullptr) {
    library.trouble = format("{} lacks functions of NVML: {}", library.file, kCost);
    return library;
  }
  if (const int result = library.api.init(); result != kDone) {
    library.trouble = format("NVML refused with nvmlReturn {}: {}", result, kCost);
    return library;
  }
  char version[96] = "";
  if (library.api.driver_version != nullptr &&
      library.api.driver_version(version, sizeof(version)) == kDone)
    library.driver = version;
  return library;
}

// Returns the number that a function of NVML returns, times `scale`. Returns nothing if NVML cannot
// return the number.
template <typename Function, typename... Arguments>
std::optional<double> ask(double scale, Function* function, Arguments... arguments) {
  unsigned value = 0;
  if (function == nullptr || function(arguments..., &value) != kDone) return std::nullopt;
  return value * scale;
}

}  // namespace

const NvmlLibrary& nvml() {
  static const NvmlLibrary* const known = new NvmlLibrary(look());
  return *known;
}

bool is_braked(std::uint64_t reasons) {
  return std::any_of(std::begin(kLimits), std::end(kLimits), [&](const Limit& limit) {
    return limit.brakes && (reasons & limit.reason) != 0;
  });
}

std::vector<std::string> limits_of(std::uint64_t reasons) {
  std::vector<std::string> words;
  for (const Limit& limit : kLimits)
    if ((reasons & limit.reason) != 0) words.emplace_back(limit.words);
  return words;
}

Monitor::Monitor(int device_index) {
  const NvmlLibrary& library = nvml();
  const auto index = static_cast<std::size_t>(device_index);
  if (!library.trouble.empty() || index >= driver().devices.size()) return;
  const std::string& place = driver().devices[index].pci_bus_id;
  if (place.empty() || library.api.by_pci(place.c_str(), &device_) != kDone) device_ = nullptr;
}

bool Monitor::braked(double now) {
  const NvmlApi& api = nvml().api;
  if (device_ == nullptr || api.clock_reasons == nullptr) return false;
  if (asked_before_ && now - asked_ < kFreshSeconds) return braked_;
  unsigned long long reasons = 0;
  if (api.clock_reasons(device_, &reasons) != kDone) reasons = 0;
  braked_ = is_braked(reasons);
  seen_ |= reasons;
  asked_ = now;
  asked_before_ = true;
  return braked_;
}

Conditions Monitor::conditions() const {
  Conditions conditions;
  conditions.driver = nvml().driver;
  if (device_ == nullptr) return conditions;
  const NvmlApi& api = nvml().api;
  conditions.power_limit_watts = ask(1e-3, api.power_limit, device_);
  conditions.temperature_celsius = ask(1, api.temperature, device_, kSensorOfGpu);
  conditions.clock_hz = ask(1e6, api.clock, device_, kClockOfSms);
  conditions.memory_clock_hz = ask(1e6, api.clock, device_, kClockOfMemory);
  conditions.clocks_limited_by = limits_of(seen_);
  return conditions;
}

}  // namespace atc::cuda
