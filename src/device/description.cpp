#include "device/description.hpp"

#include <string>

#include "core/error.hpp"
#include "core/json_object.hpp"
#include "device/cpu/cpu_description.hpp"
#include "device/cuda/driver_probe.hpp"

namespace atc {

void require_device(DeviceId device) {
  if (device.type != DeviceType::cuda) return;
  const std::string name = name_of(device);
  cuda::require_own_driver(name);
  const cuda::DriverProbe& driver = cuda::driver();
  if (driver.devices.empty()) fail(Status::library, "{}: {}", name, driver.trouble);
  if (static_cast<std::size_t>(device.index) >= driver.devices.size())
    fail(Status::invalid_argument, "{}: this machine has {} usable CUDA devices", name,
         driver.devices.size());
}

std::string device_name(DeviceId device) {
  if (device.type == DeviceType::cpu) return cpu_description().name;
  const auto& devices = cuda::driver().devices;
  const auto index = static_cast<std::size_t>(device.index);
  return index < devices.size() ? devices[index].name : "";
}

std::string driver_version(DeviceId device) {
  return device.type == DeviceType::cpu ? "" : std::to_string(cuda::driver().version);
}

nlohmann::json device_facts(DeviceId device) {
  require_device(device);
  if (device.type == DeviceType::cpu) {
    const CpuDescription cpu = cpu_description();
    return json_object({{"device", "cpu"},
                        {"vendor", cpu.vendor},
                        {"name", cpu.name},
                        {"isa", cpu.isa},
                        {"threads", cpu.threads}});
  }
  const cuda::DeviceSummary& gpu = cuda::driver().devices[static_cast<std::size_t>(device.index)];
  return json_object({{"device", "cuda"},
                      {"name", gpu.name},
                      {"compute_capability", {gpu.compute_major, gpu.compute_minor}},
                      {"multiprocessors", gpu.multiprocessors},
                      {"cache_bytes", gpu.cache_bytes}});
}

int computing_threads() { return cpu_threads(); }

}  // namespace atc
