// With any arguments every call returns a status that its header lists; a failing call has a text
// and leaves its out parameters alone; a problem that is accepted can be executed.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "atc/atc.h"
#include "input.hpp"

namespace {

using fuzz::Input;

constexpr atc_device kCpu = {ATC_DEVICE_CPU, 0};
constexpr std::int64_t kMostBytes = 1 << 20;     // of one operand that is executed
constexpr std::int64_t kMostProducts = 1 << 20;  // of one execution

#define REQUIRE(condition)                                                              \
  do {                                                                                  \
    if (!(condition)) {                                                                 \
      std::fprintf(stderr, "%s:%d: not true: %s; last error: %s\n", __FILE__, __LINE__, \
                   #condition, atc_last_error());                                       \
      std::abort();                                                                     \
    }                                                                                   \
  } while (0)

// ATC_ERROR_INTERNAL would be a fault of atc.
bool refused(atc_status status) {
  REQUIRE(status == ATC_OK || status == ATC_ERROR_INVALID_ARGUMENT ||
          status == ATC_ERROR_UNSUPPORTED || status == ATC_ERROR_OUT_OF_MEMORY ||
          status == ATC_ERROR_LIBRARY);
  if (status == ATC_OK) return false;
  REQUIRE(atc_last_error()[0] != '\0');
  return true;
}

using Plan = std::unique_ptr<atc_conv_plan, decltype(&atc_conv_plan_destroy)>;
atc_conv_plan* const kUntouched = reinterpret_cast<atc_conv_plan*>(0x5A5A);

// A struct followed by memory, so that its struct_size may be larger than the struct.
template <typename T>
struct Roomy {
  T value{};
  unsigned char tail[sizeof(T)] = {};

  void spoil_size(Input& in) {
    value.struct_size = in.raw<std::uint32_t>() % (2 * sizeof(T) + 1);
    tail[in.below(sizeof tail)] = static_cast<unsigned char>(in.below(2));
  }
};

// A small valid problem of random form.
atc_conv_problem valid_problem(Input& in) {
  atc_conv_problem p;
  REQUIRE(atc_conv_problem_init(&p, 1 + static_cast<std::int32_t>(in.below(3))) == ATC_OK);
  p.direction = 1 + static_cast<atc_direction>(in.below(3));
  p.transposed = static_cast<std::int32_t>(in.below(2));
  p.batch = static_cast<std::int64_t>(in.below(3));
  p.groups = 1 + static_cast<std::int64_t>(in.below(3));
  p.in_channels = p.groups * (1 + static_cast<std::int64_t>(in.below(4)));
  p.out_channels = p.groups * (1 + static_cast<std::int64_t>(in.below(4)));
  p.x_dtype = p.w_dtype = p.y_dtype = 1 + static_cast<atc_dtype>(in.below(3));
  p.layout = 1 + static_cast<atc_layout>(in.below(2));
  p.accumulate = static_cast<std::int32_t>(in.below(2));
  if (p.direction == ATC_FORWARD) p.epilogue = 1 + static_cast<atc_epilogue>(in.below(3));
  for (int i = 0; i < p.spatial_dims; ++i) {
    p.input[i] = 4 + static_cast<std::int64_t>(in.below(8));
    p.kernel[i] = 1 + static_cast<std::int64_t>(in.below(3));
    p.stride[i] = 1 + static_cast<std::int64_t>(in.below(3));
    p.padding_low[i] = static_cast<std::int64_t>(in.below(2));
    p.padding_high[i] = static_cast<std::int64_t>(in.below(2));
  }
  return p;
}

void spoil(Input& in, Roomy<atc_conv_problem>& roomy) {
  atc_conv_problem& p = roomy.value;
  std::int64_t* const wide[] = {p.input,       p.kernel,       p.stride,         p.dilation,
                                p.padding_low, p.padding_high, p.output_padding, p.x_strides,
                                p.w_strides,   p.y_strides};
  switch (in.below(18)) {
    case 0:
      roomy.spoil_size(in);
      break;
    case 1:
      p.direction = in.number32();
      break;
    case 2:
      p.spatial_dims = in.number32();
      break;
    case 3:
      p.transposed = in.number32();
      break;
    case 4:
      p.batch = in.number();
      break;
    case 5:
      p.in_channels = in.number();
      break;
    case 6:
      p.out_channels = in.number();
      break;
    case 7:
      p.groups = in.number();
      break;
    case 8:
      p.x_dtype = in.number32();
      break;
    case 9:
      p.w_dtype = in.number32();
      break;
    case 10:
      p.y_dtype = in.number32();
      break;
    case 11:
      p.layout = in.number32();
      break;
    case 12:
      p.epilogue = in.number32();
      break;
    case 13:
      p.accumulate = in.number32();
      break;
    default: {
      const std::size_t which = in.below(std::size(wide));
      wide[which][in.below(which < 7 ? 3 : 5)] = in.number();
    }
  }
}

Roomy<atc_conv_options> options_of(Input& in) {
  Roomy<atc_conv_options> roomy;
  atc_conv_options& o = roomy.value;
  o.struct_size = sizeof o;
  for (std::size_t n = in.below(3); n > 0; --n) {
    switch (in.below(9)) {
      case 0:
        roomy.spoil_size(in);
        break;
      case 1:
        o.deterministic = in.number32();
        break;
      case 2:
        o.allow_tf32 = in.number32();
        break;
      case 3:
        o.allow_reference = in.number32();
        break;
      case 4:
        o.constant_weights = in.number32();
        break;
      case 5:
        o.technique = in.number32();
        break;
      case 6:
        o.alignment = in.raw<std::uint32_t>();
        break;
      case 7:
        o.workspace_limit = static_cast<std::uint64_t>(in.number());
        break;
      default:
        o.budget_seconds = in.raw<double>();
        break;
    }
  }
  return roomy;  // `tune` stays off: a race is no argument check
}

// An operand of the right form in memory of exactly its size, so that a sanitizer finds accesses
// outside.
struct Operand {
  std::int64_t shape[5] = {}, strides[5] = {};
  std::vector<unsigned char> bytes;
  atc_tensor_view view{};

  // False when it is too large to be executed here.
  bool describe(const atc_conv_problem& p, std::int32_t operand, atc_dtype dtype,
                std::int32_t ndim) {
    REQUIRE(atc_conv_operand_shape(shape, strides, &p, operand) == ATC_OK);
    const std::int64_t size = dtype == ATC_DTYPE_F32 ? 4 : 2;
    std::int64_t last = 0;
    bool none = false;
    for (int i = 0; i < ndim; ++i) {
      none |= shape[i] == 0;
      if (shape[i] > kMostBytes || strides[i] > kMostBytes) return false;
      if (shape[i] > 1) last += (shape[i] - 1) * strides[i];
    }
    if (last >= kMostBytes / size) return false;
    bytes.assign(none ? 0 : static_cast<std::size_t>((last + 1) * size), 0);
    view = {bytes.data(), kCpu, ndim, {}, shape, strides, 0};
    view.dtype.code = dtype == ATC_DTYPE_BF16 ? ATC_CODE_BFLOAT : ATC_CODE_FLOAT;
    view.dtype.bits = static_cast<std::uint8_t>(8 * size);
    view.dtype.lanes = 1;
    return true;
  }
};

// Makes the operand invalid in one way.
void spoil(Input& in, Operand& operand) {
  atc_tensor_view& view = operand.view;
  const std::size_t dim = in.below(static_cast<std::size_t>(view.ndim));
  switch (in.below(8)) {
    case 0:
      view.ndim += in.below(2) == 0 ? 1 : -view.ndim - static_cast<std::int32_t>(in.below(2));
      break;
    case 1:
      view.dtype.code = static_cast<std::uint8_t>(view.dtype.code + 1 + in.below(255));
      break;
    case 2:
      view.dtype.bits = static_cast<std::uint8_t>(view.dtype.bits + 1 + in.below(255));
      break;
    case 3:
      view.dtype.lanes = static_cast<std::uint16_t>(2 + in.below(200));
      break;
    case 4:
      view.device.type = ATC_DEVICE_CUDA;
      break;
    case 5:
      view.shape = nullptr;
      break;
    case 6:
      operand.shape[dim] = operand.shape[dim] + 1;
      break;
    default:
      view.byte_offset = 1;
      if (operand.bytes.empty()) view.ndim = 1;  // alignment does not matter for an empty operand
      break;
  }
}

struct Call {
  Operand x, w, bias, y;
  atc_status execute(atc_conv_plan* plan, bool has_bias) {
    return atc_conv_plan_execute(plan, &x.view, &w.view, has_bias ? &bias.view : nullptr, &y.view,
                                 nullptr, 0, nullptr);
  }
};

void execute(Input& in, const atc_conv_problem& p, atc_conv_plan* plan) {
  Call call;
  const std::int32_t ndim = p.spatial_dims + 2;
  const bool has_bias = p.epilogue != ATC_EPILOGUE_NONE;
  if (!call.x.describe(p, ATC_OPERAND_X, p.x_dtype, ndim) ||
      !call.w.describe(p, ATC_OPERAND_W, p.w_dtype, ndim) ||
      !call.y.describe(p, ATC_OPERAND_Y, p.y_dtype, ndim) ||
      (has_bias && !call.bias.describe(p, ATC_OPERAND_BIAS, p.y_dtype, 1)))
    return;
  std::int64_t products = p.out_channels;
  for (int i = 0; i < ndim; ++i) {
    if (products > kMostProducts) return;
    products *= std::max<std::int64_t>(call.x.shape[i], 1);
  }
  for (int i = 2; i < ndim; ++i) {
    if (products > kMostProducts) return;
    products *= call.w.shape[i];
  }
  if (products > kMostProducts) return;
  REQUIRE(call.execute(plan, has_bias) == ATC_OK);
  Operand* const operands[] = {&call.x, &call.w, &call.y, &call.bias};
  spoil(in, *operands[in.below(has_bias ? 4 : 3)]);
  REQUIRE(call.execute(plan, has_bias) == ATC_ERROR_INVALID_ARGUMENT);
}

void plan_of(Input& in, const atc_conv_problem& p) {
  const Roomy<atc_conv_options> roomy = options_of(in);
  const atc_conv_options& options = roomy.value;
  atc_conv_plan* out = kUntouched;
  if (refused(atc_conv_plan_create(&out, kCpu, &p, &options))) {
    REQUIRE(out == kUntouched);
    return;
  }
  const Plan plan(out, atc_conv_plan_destroy);
  const char* choice = nullptr;
  std::uint64_t workspace = 0;
  REQUIRE(atc_conv_plan_choice(&choice, plan.get()) == ATC_OK && choice[0] != '\0');
  REQUIRE(atc_conv_plan_workspace_size(&workspace, plan.get()) == ATC_OK);
  if (options.alignment <= 16) execute(in, p, plan.get());  // the alignment of operator new

  // The plan's choice names it; any other text is refused or names another plan.
  std::string text = choice;
  if (in.below(2) == 1) {
    if (!text.empty()) text[in.below(text.size())] = in.raw<char>();
    text += in.text(16);
  }
  out = kUntouched;
  const atc_status status =
      atc_conv_plan_create_with_choice(&out, kCpu, &p, &options, text.c_str());
  REQUIRE(text != choice || status == ATC_OK);
  if (refused(status)) {
    REQUIRE(out == kUntouched);
  } else {
    atc_conv_plan_destroy(out);
  }
}

// Structs of any size and content, devices and operands of any number.
void others(Input& in, const atc_conv_problem& p) {
  std::int64_t shape[5], strides[5];
  refused(atc_conv_operand_shape(shape, strides, &p, in.number32()));
  Roomy<atc_conv_problem> made;
  refused(atc_conv_problem_init_sized(&made.value, in.below(sizeof made + 1), in.number32()));

  atc_conv_plan* out = kUntouched;
  if (refused(atc_conv_plan_create(&out, {in.number32(), in.number32()}, &p, nullptr))) {
    REQUIRE(out == kUntouched);
  } else {
    atc_conv_plan_destroy(out);
  }

  atc_settings before{}, after{};
  before.struct_size = after.struct_size = sizeof before;
  REQUIRE(atc_settings_get(&before) == ATC_OK);
  atc_settings tried = before;
  std::int32_t* const fields[] = {&tried.benchmark_cudnn,          &tried.benchmark_limit_cudnn,
                                  &tried.user_enabled_cudnn,       &tried.deterministic_cudnn,
                                  &tried.deterministic_algorithms, &tried.allow_tf32_cudnn,
                                  &tried.benchmark_technique};
  *fields[in.below(std::size(fields))] = in.number32();
  *fields[in.below(std::size(fields))] = in.number32();
  if (refused(atc_settings_apply(&tried))) {
    REQUIRE(atc_settings_get(&after) == ATC_OK);
    REQUIRE(std::memcmp(&before, &after, sizeof before) == 0);
  }
  REQUIRE(atc_settings_apply(&before) == ATC_OK);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in(data, size);
  atc_log_level_set(ATC_LOG_OFF);
  Roomy<atc_conv_problem> problem;
  problem.value = valid_problem(in);
  for (std::size_t n = in.below(5); n > 0; --n) spoil(in, problem);
  plan_of(in, problem.value);
  others(in, problem.value);
  return 0;
}
