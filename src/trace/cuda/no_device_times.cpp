// Replaces device_times.cpp in a build without CUDA: no call is timed.
#include "trace/cuda/device_times.hpp"

namespace atc::trace {

std::int64_t Drift::corrected(std::int64_t moment_ns) const { return moment_ns; }

std::unique_ptr<DeviceCall> DeviceTimes::begin(Row&, DeviceId, Stream) noexcept { return nullptr; }
void DeviceTimes::end(std::unique_ptr<DeviceCall>) noexcept {}
void DeviceTimes::drop(std::unique_ptr<DeviceCall>) noexcept {}
std::map<int, Drift> DeviceTimes::close() noexcept { return {}; }

}  // namespace atc::trace
