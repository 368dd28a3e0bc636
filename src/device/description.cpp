#include "device/description.hpp"

#include <unistd.h>

#include <array>
#include <fstream>
#include <string>

#include "core/error.hpp"
#include "core/format.hpp"
#include "core/json_object.hpp"
#include "device/cpu/cpu_description.hpp"
#include "device/cuda/driver_probe.hpp"

namespace atc {

namespace {

// Returns a text that identifies the machine and changes each time the machine is started. If the
// system has no such text, returns the host name of the machine.
std::string machine_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  if (std::getline(file, id) && !id.empty()) return id;
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

}  // namespace

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

std::string device_place(DeviceId device) {
  require_device(device);
  const std::string machine = machine_id();
  if (device.type == DeviceType::cpu) return machine + "/cpu";
  const auto index = static_cast<std::size_t>(device.index);
  const std::string& slot = cuda::driver().devices[index].pci_bus_id;
  return format("{}/cuda/{}", machine, slot.empty() ? std::to_string(device.index) : slot);
}

int computing_threads() { return cpu_threads(); }

}  // namespace atc
