#include "atc/device.h"

#include <cstring>

#include "bytes.hpp"
#include "convert.hpp"
#include "core/format.hpp"
#include "core/settings.hpp"
#include "device/cpu/cpu_description.hpp"
#include "device/cuda/driver.hpp"
#include "device/cuda/driver_probe.hpp"
#include "engines/cudnn/library.hpp"
#include "engines/fault_list.hpp"
#include "engines/libraries.hpp"
#include "guard.hpp"
#include "text.hpp"

namespace {

using namespace atc;
using namespace atc::ffi;

int cuda_devices() { return static_cast<int>(cuda::driver().devices.size()); }

// Calls `query` and writes the number that `query` returns to `*out`.
template <typename Out, typename Query>
atc_status answer(Out* out, Query&& query) noexcept {
  return guard([&] {
    Out& target = required(out, "out");
    target = static_cast<Out>(query());
  });
}

atc_device_info describe_cpu() {
  const CpuDescription cpu = cpu_description();
  atc_device_info info{};
  info.compute_units = cpu.threads;
  info.cache_bytes = cpu.cache_bytes;
  info.memory_bytes = cpu.memory_bytes;
  copy_text(info.name, cpu.name);
  copy_text(info.isa, cpu.isa);
  return info;
}

atc_device_info describe_cuda(int index) {
  cuda::require_own_driver(format("device.index {}", index));
  if (cuda_devices() == 0)
    fail(Status::invalid_argument, "device.index is {}: this machine has no usable CUDA device: {}",
         index, cuda::driver().trouble);
  if (index >= cuda_devices())
    fail(Status::invalid_argument, "device.index is {}: this machine has {} usable CUDA devices",
         index, cuda_devices());
  const cuda::DeviceSummary& device = cuda::driver().devices[static_cast<std::size_t>(index)];
  atc_device_info info{};
  info.compute_units = device.multiprocessors;
  info.cache_bytes = device.cache_bytes;
  info.memory_bytes = device.memory_bytes;
  info.compute_major = device.compute_major;
  info.compute_minor = device.compute_minor;
  copy_text(info.name, device.name);
  return info;
}

}  // namespace

extern "C" {

atc_status atc_cuda_is_available(int32_t* out) noexcept {
  return answer(out, [] { return cuda_devices() > 0; });
}

atc_status atc_cuda_device_count(int32_t* out) noexcept { return answer(out, cuda_devices); }

atc_status atc_cudnn_is_available(int32_t* out) noexcept {
  return answer(out, [] { return cudnn::library().trouble.empty(); });
}
atc_status atc_cudnn_version(int64_t* out) noexcept {
  return answer(out, [] { return cudnn::library().version; });
}
atc_status atc_cudnn_compiled_version(int64_t* out) noexcept {
  return answer(out, [] { return cudnn::kCompiledVersion; });
}

atc_status atc_device_describe(atc_device_info* out, atc_device device) noexcept {
  return guard([&] {
    required(out, "out");
    const DeviceId id = to_device(device);
    write_struct(out, id.type == DeviceType::cpu ? describe_cpu() : describe_cuda(id.index), "out");
  });
}

atc_status atc_library_count(size_t* out) noexcept {
  return answer(out, [] { return libraries().size(); });
}

atc_status atc_library_describe(atc_library_info* out, size_t index) noexcept {
  return guard([&] {
    required(out, "out");
    const std::vector<Library> known = libraries();
    if (index >= known.size())
      fail(Status::invalid_argument, "index is {}: there are {} libraries", index, known.size());
    const Library& library = known[index];
    atc_library_info info{};
    info.loaded = library.loaded;
    copy_text(info.name, library.name);
    copy_text(info.version, library.version);
    copy_text(info.compiled_version, library.compiled_version);
    copy_text(info.file, library.file);
    copy_text(info.note, library.note);
    copy_text(info.remarks, joined(library.remarks, "\n"));
    write_struct(out, info, "out");
  });
}

atc_status atc_faults_describe(atc_bytes** out) noexcept {
  return guard([&] {
    atc_bytes*& target = required(out, "out");
    target = make_bytes(fault_list());
  });
}

atc_status atc_manual_seed(uint64_t seed) noexcept {
  return guard([&] { manual_seed(seed, false); });
}

atc_status atc_manual_seed_all(uint64_t seed) noexcept {
  return guard([&] { manual_seed(seed, true); });
}

atc_status atc_synchronize(int32_t index) noexcept {
  return guard([&] {
    if (index < -1)
      fail(Status::invalid_argument, "index is {}: use -1 for the current device, or 0 and up",
           index);
    cuda::require_own_driver(format("index {}", index));
    const int count = cuda_devices();
    if (count > 0 && index >= count)
      fail(Status::invalid_argument, "index is {}: this machine has {} usable CUDA devices", index,
           count);
    if (!synchronize_source(index) && count > 0) cuda::synchronize_device(index);
  });
}

}  // extern "C"
