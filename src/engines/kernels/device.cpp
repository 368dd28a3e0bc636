#include "engines/kernels/device.hpp"

#include "core/format.hpp"
#include "device/cuda/kernel.hpp"

namespace atc::kernels {

const cuda::DeviceSummary& device_of(const Limits& limits) {
  return cuda::driver().devices.at(static_cast<std::size_t>(limits.device.index));
}

Capacity capacity_of(const Limits& limits) {
  const cuda::DeviceSummary& device = device_of(limits);
  return {device.multiprocessors, device.most_block_shared,
          device.compute_major == 9 && device.compute_minor == 0};
}

std::string objection_below(const Limits& limits, int major) {
  if (const char* const why = cuda::kernels_objection(); *why != '\0') return why;
  if (device_of(limits).compute_major < major)
    return format("its kernels need compute capability {}.0", major);
  return "";
}

std::string objection_but_for(const Limits& limits, int major, int minor) {
  if (const char* const why = cuda::kernels_objection(); *why != '\0') return why;
  const cuda::DeviceSummary& device = device_of(limits);
  if (device.compute_major != major || device.compute_minor != minor)
    return format("its kernels are for compute capability {}.{}", major, minor);
  return "";
}

}  // namespace atc::kernels
