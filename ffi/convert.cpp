#include "convert.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "convert_own.hpp"
#include "engines/registry.hpp"
#include "read_option.hpp"

namespace atc::ffi {

DeviceId to_device(atc_device device) {
  if (device.type == ATC_DEVICE_CPU) {
    if (device.index != 0)
      fail(Status::invalid_argument, "device.index is {}: the CPU has index 0", device.index);
    return {DeviceType::cpu, 0};
  }
  if (device.type == ATC_DEVICE_CUDA) {
    if (device.index < 0)
      fail(Status::invalid_argument, "device.index is {}: CUDA devices count from 0", device.index);
    return {DeviceType::cuda, device.index};
  }
  fail(Status::invalid_argument, "device.type is {}: use 1 (CPU) or 2 (CUDA)", device.type);
}

bool to_bool(std::int32_t value, const char* name) {
  if (value != 0 && value != 1) fail(Status::invalid_argument, "{} is {}: use 0 or 1", name, value);
  return value == 1;
}

std::optional<bool> to_switch(std::int32_t value, const char* name) {
  if (value < 0 || value > ATC_ON)
    fail(Status::invalid_argument, "{} is {}: use 0 (inherit), 1 (off) or 2 (on)", name, value);
  if (value == 0) return std::nullopt;
  return value == ATC_ON;
}

std::optional<conv::TuningMode> to_tuning_mode(std::int32_t value, const char* name) {
  if (value < 0 || value > ATC_TUNE_PREDICT)
    fail(Status::invalid_argument,
         "{} is {}: use 0 (inherit), 1 (off), 2 (on), {} (later), {} (beside) or {} (predict)",
         name, value, static_cast<int>(ATC_TUNE_LATER), static_cast<int>(ATC_TUNE_BESIDE),
         static_cast<int>(ATC_TUNE_PREDICT));
  if (value == 0) return std::nullopt;
  return static_cast<conv::TuningMode>(value);
}

std::optional<std::uint64_t> to_limit(std::uint64_t value) {
  if (value == 0) return std::nullopt;
  return value == ATC_NONE ? 0 : value;
}

std::optional<tune::Technique> to_technique(std::int32_t value, const char* name) {
  if (value < 0 || value > ATC_TECHNIQUE_SUSTAINED)
    fail(Status::invalid_argument, "{} is {}: use 0 (inherit) or a technique (1 to {})", name,
         value, static_cast<int>(ATC_TECHNIQUE_SUSTAINED));
  if (value == 0) return std::nullopt;
  return static_cast<tune::Technique>(value);
}

double to_seconds(double value, double fallback, const char* name) {
  if (!(value >= 0))
    fail(Status::invalid_argument, "{} is {}: use seconds > 0, or 0 for the default", name, value);
  return value == 0 ? fallback : value;
}

std::size_t to_alignment(std::uint32_t value, const char* name) {
  if ((value & (value - 1)) != 0 || value > 4096)
    fail(Status::invalid_argument, "{} is {}: use a power of 2 up to 4096, or 0 for the default",
         name, value);
  return value;
}

std::vector<std::string> to_names(const char* list) {
  std::vector<std::string> names;
  if (list == nullptr) return names;
  std::string name;
  for (const char* at = list;; ++at) {
    if (*at == ',' || *at == '\0') {
      if (!name.empty()) names.push_back(std::move(name));
      name.clear();
      if (*at == '\0') return names;
    } else if (*at != ' ') {
      name += *at;
    }
  }
}

namespace {

std::string to_front_end(const char (&given)[64]) {
  std::string name(given, strnlen(given, sizeof(given)));
  if (EngineRegistry::instance().find(name) == nullptr)
    fail(Status::invalid_argument,
         "options.front_end is '{}': no engine of that name is registered", name);
  return name;
}

}  // namespace

atc_conv_options read_plan_options(const atc_conv_options* given) {
  if (given != nullptr) return read_struct(given, "options");
  atc_conv_options defaults{};
  defaults.struct_size = sizeof(defaults);
  return defaults;
}

conv::PlanOptions to_plan_options(const atc_conv_options& known) {
  conv::PlanOptions options;
  read_plain_options(options, known);
  check_race_memory(options);
  options.knowledge = to_knowledge(known.store, known.use_store);
  options.allocator = to_allocator(known.allocator);
  if (known.front_end[0] != 0) options.front_end = to_front_end(known.front_end);
  return options;
}

Dtype to_dtype(atc_data_type type, const char* name) {
  if (type.lanes == 1) {
    if (type.code == ATC_CODE_FLOAT && type.bits == 32) return Dtype::f32;
    if (type.code == ATC_CODE_FLOAT && type.bits == 16) return Dtype::f16;
    if (type.code == ATC_CODE_BFLOAT && type.bits == 16) return Dtype::bf16;
  }
  fail(Status::invalid_argument,
       "{}.dtype is {{code {}, bits {}, lanes {}}}: use fp32 {{2, 32, 1}}, fp16 {{2, 16, 1}} or "
       "bf16 "
       "{{4, 16, 1}}",
       name, type.code, type.bits, type.lanes);
}

void check_view(const atc_tensor_view& view, const Tensor& expected, const char* name) {
  if (to_dtype(view.dtype, name) != expected.dtype)
    fail(Status::invalid_argument, "{}.dtype is {}, the problem says {}", name,
         name_of(to_dtype(view.dtype, name)), name_of(expected.dtype));
  if (view.ndim != expected.rank)
    fail(Status::invalid_argument, "{}.ndim is {}, the problem has {} dimensions here", name,
         view.ndim, expected.rank);
  if (view.shape == nullptr) fail(Status::invalid_argument, "{}.shape is missing: pass it", name);
  bool empty = false;
  std::int64_t dense = 1;
  for (int i = expected.rank - 1; i >= 0; --i) {
    if (view.shape[i] != expected.shape[i])
      fail(Status::invalid_argument, "{}.shape[{}] is {}, the problem says {}", name, i,
           view.shape[i], expected.shape[i]);
    const std::int64_t stride = view.strides != nullptr ? view.strides[i] : dense;
    // The stride of a dimension of one element is never used, so it is not compared.
    if (expected.shape[i] > 1 && stride != expected.strides[i])
      fail(Status::invalid_argument, "{}.strides[{}] is {}, the problem's layout has {}", name, i,
           stride, expected.strides[i]);
    dense *= std::max<std::int64_t>(expected.shape[i], 1);
    empty = empty || expected.shape[i] == 0;
  }
  if (empty) return;
  if (view.data == nullptr) fail(Status::invalid_argument, "{}.data is missing: pass it", name);
  const auto address = reinterpret_cast<std::uintptr_t>(view.data) + view.byte_offset;
  if (address % size_of(expected.dtype) != 0)
    fail(Status::invalid_argument,
         "{} starts at address {:#x}, which is no multiple of its element size {}", name, address,
         size_of(expected.dtype));
}

void* address_of(const atc_tensor_view& view) {
  return view.data == nullptr ? nullptr : static_cast<char*>(view.data) + view.byte_offset;
}

}  // namespace atc::ffi
