#include "engines/cudnn/remarks.hpp"

#include <algorithm>

#include "core/format.hpp"
#include "device/cuda/driver_probe.hpp"
#include "engines/cudnn/known_faults.hpp"
#include "engines/cudnn/library.hpp"
#include "engines/cudnn/parts.hpp"
#include "engines/faults/table.hpp"

namespace atc::cudnn {

namespace {

// Adds a sentence for each device whose compute capability is newer than the loaded cuDNN supports.
void add_strangers(std::vector<std::string>& remarks) {
  const Library& known = library();
  if (known.api.newest_device == nullptr) return;
  // CuDNN returns 1210 for the compute capability 12.1.
  const auto newest = static_cast<int>(known.api.newest_device());
  const std::vector<cuda::DeviceSummary>& devices = cuda::driver().devices;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const int major = devices[i].compute_major, minor = devices[i].compute_minor;
    if (100 * major + 10 * minor <= newest) continue;
    remarks.push_back(format(
        "cuDNN {} knows GPUs of compute capability up to {}.{}, cuda:{} ({}) is of {}.{}: a newer "
        "cuDNN may be faster there, or work at all",
        version_text(known.version), newest / 100, newest % 100 / 10, i, devices[i].name, major,
        minor));
  }
}

// Whether the fault concerns a device of this machine.
bool is_here(const faults::Fault& fault) {
  const auto& devices = cuda::driver().devices;
  return std::any_of(devices.begin(), devices.end(), [&](const cuda::DeviceSummary& device) {
    return faults::is_of(fault.device, {device.compute_major, device.compute_minor});
  });
}

}  // namespace

std::vector<std::string> remarks() {
  const Library& running = library();
  if (!running.trouble.empty() || cuda::driver().devices.empty()) return {};
  static const auto* const unfit =
      new std::vector<std::string>(misfits(running.api, running.file, true));
  std::vector<std::string> remarks = *unfit;
  if (const std::string mixed = mixture(); !mixed.empty()) remarks.push_back(mixed);
  add_strangers(remarks);
  for (const faults::Fault& fault : faults::table()) {
    if (fault.library != faults::Library::cudnn || !fault.versions.include(running_version()) ||
        !is_here(fault))
      continue;
    const bool barred = fault.handling == faults::Handling::barred;
    remarks.push_back(format(
        "cuDNN {} is known for {}: {}", faults::to_string(running_version()), fault.description,
        barred ? "atc does not use the affected plans"
               : format("the affected plans are {}", name_of(fault.handling))));
  }
  return remarks;
}

}  // namespace atc::cudnn
