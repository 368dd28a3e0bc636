#include "settings_source.hpp"

#include <ATen/Context.h>
#include <ATen/core/Generator.h>
#include <c10/core/CPUAllocator.h>

#include <array>
#include <string>

#include "atc/extend.h"
#include "atc/settings.h"
#include "float32_precision.hpp"
#include "guard.hpp"
#include "libraries.hpp"

namespace atc_torch {

namespace {

std::int64_t deterministic_algorithms() {
  const at::Context& context = at::globalContext();
  if (!context.deterministicAlgorithms()) return ATC_DETERMINISTIC_ALGORITHMS_OFF;
  return context.deterministicAlgorithmsWarnOnly() ? ATC_DETERMINISTIC_ALGORITHMS_WARN
                                                   : ATC_DETERMINISTIC_ALGORITHMS_ERROR;
}

// Sets LibTorch's switches for TF32. LibTorch has an older flag, and newer switches for single
// operations such as convolution and RNN. The older flag is set first. In another order a getter of
// LibTorch would throw, or another switch would turn TF32 on again.
void set_allow_tf32(bool allowed) {
  at::Context& context = at::globalContext();
  context.setAllowTF32CuDNN(allowed);
  if (allowed) return;
  context.setFloat32Precision(Float32Backend::CUDA, Float32Op::CONV, Float32Precision::IEEE);
  context.setFloat32Precision(Float32Backend::CUDA, Float32Op::RNN, Float32Precision::IEEE);
}

atc_status get(std::int64_t* out, void*, std::int32_t setting) noexcept {
  return guard([&] {
    const at::Context& context = at::globalContext();
    switch (setting) {
      case ATC_SETTING_BENCHMARK_CUDNN:
        *out = context.benchmarkCuDNN();
        return;
      case ATC_SETTING_BENCHMARK_LIMIT_CUDNN:
        *out = context.benchmarkLimitCuDNN();
        return;
      case ATC_SETTING_USER_ENABLED_CUDNN:
        *out = context.userEnabledCuDNN();
        return;
      case ATC_SETTING_DETERMINISTIC_CUDNN:
        *out = context.deterministicCuDNN();
        return;
      case ATC_SETTING_DETERMINISTIC_ALGORITHMS:
        *out = deterministic_algorithms();
        return;
      case ATC_SETTING_ALLOW_TF32_CUDNN:
        // The operation is passed as an argument, because the getter without an argument throws if
        // LibTorch's older flag and its newer switches contradict each other.
        *out = context.allowTF32CuDNN(Float32Op::CONV);
        return;
      default:
        throw Failure(ATC_ERROR_UNSUPPORTED, "LibTorch does not know this switch");
    }
  });
}

atc_status set(void*, std::int32_t setting, std::int64_t value) noexcept {
  return guard([&] {
    at::Context& context = at::globalContext();
    switch (setting) {
      case ATC_SETTING_BENCHMARK_CUDNN:
        return context.setBenchmarkCuDNN(value != 0);
      case ATC_SETTING_BENCHMARK_LIMIT_CUDNN:
        return context.setBenchmarkLimitCuDNN(static_cast<int>(value));
      case ATC_SETTING_USER_ENABLED_CUDNN:
        return context.setUserEnabledCuDNN(value != 0);
      case ATC_SETTING_DETERMINISTIC_CUDNN:
        return context.setDeterministicCuDNN(value != 0);
      case ATC_SETTING_DETERMINISTIC_ALGORITHMS:
        return context.setDeterministicAlgorithms(value != ATC_DETERMINISTIC_ALGORITHMS_OFF,
                                                  value == ATC_DETERMINISTIC_ALGORITHMS_WARN);
      case ATC_SETTING_ALLOW_TF32_CUDNN:
        return set_allow_tf32(value != 0);
      default:
        throw Failure(ATC_ERROR_UNSUPPORTED, "LibTorch does not know this switch");
    }
  });
}

// LibTorch is asked whether there is CUDA only if libtorch_cuda is loaded. Before libtorch_cuda is
// loaded, LibTorch would answer no, and would never change this answer.
bool has_devices() { return cuda_is_loaded() && at::Context::hasCUDA(); }

void seed_device(c10::DeviceIndex index, std::uint64_t seed) {
  at::Generator generator = at::globalContext().defaultGenerator(c10::Device(at::kCUDA, index));
  const std::lock_guard lock(generator.mutex());
  generator.set_current_seed(seed);
}

atc_status manual_seed(void*, std::uint64_t seed, std::int32_t all_devices) noexcept {
  return guard([&] {
    if (!has_devices()) throw Failure(ATC_ERROR_UNSUPPORTED, "LibTorch has no CUDA device");
    const auto& hooks = at::detail::getCUDAHooks();
    if (all_devices == 0) return seed_device(hooks.getCurrentDevice(), seed);
    for (c10::DeviceIndex i = 0; i < hooks.deviceCount(); ++i) seed_device(i, seed);
  });
}

atc_status synchronize(void*, std::int32_t index) noexcept {
  return guard([&] {
    if (!has_devices()) throw Failure(ATC_ERROR_UNSUPPORTED, "LibTorch has no CUDA device");
    const auto& hooks = at::detail::getCUDAHooks();
    hooks.deviceSynchronize(index < 0 ? hooks.getCurrentDevice()
                                      : static_cast<c10::DeviceIndex>(index));
  });
}

void* allocate(void*, std::uint64_t size, atc_device, atc_stream) noexcept {
  try {
    return c10::GetCPUAllocator()->raw_allocate(size);
  } catch (...) {
    return nullptr;  // libatc requires that an allocator returns null if there is no memory
  }
}

void deallocate(void*, void* pointer, atc_device, atc_stream) noexcept {
  c10::GetCPUAllocator()->raw_deallocate(pointer);
}

constexpr std::array<const char*, 3> kPrecisions = {"highest", "high", "medium"};

}  // namespace

void take_over_settings() {
  atc_settings_source source{};
  source.struct_size = sizeof(source);
  source.get = get;
  source.set = set;
  source.manual_seed = manual_seed;
  source.synchronize = synchronize;
  check(atc_settings_source_set(&source));
  atc_allocator allocator{};
  allocator.struct_size = sizeof(allocator);
  // LibTorch's allocator is set for the CPU only. On CUDA, plan.cpp allocates the workspace of a
  // call by LibTorch's allocator. A race (the timing of candidates) runs on a stream of its own and
  // allocates by libatc's allocator, which does not keep freed memory.
  allocator.device_type = ATC_DEVICE_CPU;
  allocator.alloc = allocate;
  allocator.free = deallocate;
  check(atc_allocator_set(&allocator));
}

Options with_switches_of_now(Options options) {
  const at::Context& context = at::globalContext();
  const auto say = [](std::int32_t& option, bool now) {
    if (option == 0) option = now ? ATC_ON : ATC_OFF;
  };
  say(options.deterministic, context.deterministicCuDNN() || context.deterministicAlgorithms());
  say(options.allow_tf32, context.allowTF32CuDNN(Float32Op::CONV));
  return options;
}

void set_fill_uninitialized_memory(bool enabled) {
  at::globalContext().setDeterministicFillUninitializedMemory(enabled);
}

bool fill_uninitialized_memory() {
  return at::globalContext().deterministicFillUninitializedMemory();
}

void set_float32_matmul_precision(atc_torch_precision precision) {
  if (precision < ATC_TORCH_PRECISION_HIGHEST || precision > ATC_TORCH_PRECISION_MEDIUM)
    throw Failure(ATC_ERROR_INVALID_ARGUMENT, "precision is " + std::to_string(precision) +
                                                  ": use highest (1), high (2) or medium (3)");
  at::globalContext().setFloat32MatmulPrecision(
      kPrecisions[static_cast<std::size_t>(precision) - 1]);
}

atc_torch_precision float32_matmul_precision() {
  try {
    switch (at::globalContext().float32MatmulPrecision()) {
      case at::Float32MatmulPrecision::HIGHEST:
        return ATC_TORCH_PRECISION_HIGHEST;
      case at::Float32MatmulPrecision::HIGH:
        return ATC_TORCH_PRECISION_HIGH;
      case at::Float32MatmulPrecision::MEDIUM:
        return ATC_TORCH_PRECISION_MEDIUM;
    }
  } catch (const c10::Error& error) {
    throw Failure(ATC_ERROR_UNSUPPORTED, error.what_without_backtrace());
  }
  throw Failure(ATC_ERROR_INTERNAL, "LibTorch's precision is none that is known");
}

}  // namespace atc_torch
