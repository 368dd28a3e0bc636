// Calls functions of the C ABI with arbitrary arguments. Every call must return a status that the
// header lists for the function. A failing call must leave an error text, and must not change its
// out parameters. A problem that is accepted must be executable.
#include <cstring>
#include <iterator>
#include <string>

#include "calls.hpp"

namespace {

using fuzz::Call;
using fuzz::Input;
using fuzz::kCpu;
using fuzz::Operand;
using fuzz::Plan;

// Returns whether the status is an error. Only the errors that this function lists are allowed.
// ATC_ERROR_INTERNAL is not among them, because it would be a fault of atc.
bool refused(atc_status status) {
  return fuzz::refused(status, {ATC_ERROR_INVALID_ARGUMENT, ATC_ERROR_UNSUPPORTED,
                                ATC_ERROR_OUT_OF_MEMORY, ATC_ERROR_LIBRARY});
}

atc_conv_plan* const kUntouched = reinterpret_cast<atc_conv_plan*>(0x5A5A);

// A struct with spare memory behind it. A function that gets a struct_size larger than the struct
// may read and write this spare memory.
template <typename T>
struct Roomy {
  T value{};
  unsigned char tail[sizeof(T)] = {};

  void spoil_size(Input& in) {
    value.struct_size = in.raw<std::uint32_t>() % (2 * sizeof(T) + 1);
    tail[in.below(sizeof tail)] = static_cast<unsigned char>(in.below(2));
  }
};

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
  // The option `tune` stays off, because a race (the timing of the candidates) would take long and
  // checks no arguments.
  return roomy;
}

// Makes the view of an operand invalid in one way, which the fuzzer's input determines.
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
      // An empty operand may have any alignment, so its number of dimensions is made wrong instead.
      if (operand.bytes.empty()) view.ndim = 1;
      break;
  }
}

void execute(Input& in, const atc_conv_problem& p, atc_conv_plan* plan) {
  Call call;
  if (!call.describe(p)) return;
  REQUIRE_CALL(call.execute(plan) == ATC_OK);
  Operand* const operands[] = {&call.x, &call.w, &call.y, &call.bias};
  spoil(in, *operands[in.below(call.has_bias ? 4 : 3)]);
  REQUIRE_CALL(call.execute(plan) == ATC_ERROR_INVALID_ARGUMENT);
}

void plan_of(Input& in, const atc_conv_problem& p) {
  const Roomy<atc_conv_options> roomy = options_of(in);
  const atc_conv_options& options = roomy.value;
  atc_conv_plan* out = kUntouched;
  if (refused(atc_conv_plan_create(&out, kCpu, &p, &options))) {
    REQUIRE_CALL(out == kUntouched);
    return;
  }
  const Plan plan(out, atc_conv_plan_destroy);
  const char* choice = nullptr;
  std::uint64_t workspace = 0;
  REQUIRE_CALL(atc_conv_plan_choice(&choice, plan.get()) == ATC_OK && choice[0] != '\0');
  REQUIRE_CALL(atc_conv_plan_workspace_size(&workspace, plan.get()) == ATC_OK);
  // the operands are allocated by operator new, with an alignment of 16 bytes
  if (options.alignment <= 16) execute(in, p, plan.get());

  // A plan with the unchanged text of the choice must be made. A changed text must be refused, or
  // must be the choice of another plan.
  std::string text = choice;
  if (in.below(2) == 1) {
    if (!text.empty()) text[in.below(text.size())] = in.raw<char>();
    text += in.text(16);
  }
  out = kUntouched;
  const atc_status status =
      atc_conv_plan_create_with_choice(&out, kCpu, &p, &options, text.c_str());
  REQUIRE_CALL(text != choice || status == ATC_OK);
  if (refused(status)) {
    REQUIRE_CALL(out == kUntouched);
  } else {
    atc_conv_plan_destroy(out);
  }
}

// Passes structs of arbitrary size and content, and arbitrary numbers for devices and operands.
void others(Input& in, const atc_conv_problem& p) {
  std::int64_t shape[5], strides[5];
  refused(atc_conv_operand_shape(shape, strides, &p, in.number32()));
  Roomy<atc_conv_problem> made;
  refused(atc_conv_problem_init_sized(&made.value, in.below(sizeof made + 1), in.number32()));

  atc_conv_plan* out = kUntouched;
  if (refused(atc_conv_plan_create(&out, {in.number32(), in.number32()}, &p, nullptr))) {
    REQUIRE_CALL(out == kUntouched);
  } else {
    atc_conv_plan_destroy(out);
  }

  atc_settings before{}, after{};
  before.struct_size = after.struct_size = sizeof before;
  REQUIRE_CALL(atc_settings_get(&before) == ATC_OK);
  atc_settings tried = before;
  std::int32_t* const fields[] = {&tried.benchmark_cudnn,          &tried.benchmark_limit_cudnn,
                                  &tried.user_enabled_cudnn,       &tried.deterministic_cudnn,
                                  &tried.deterministic_algorithms, &tried.allow_tf32_cudnn,
                                  &tried.benchmark_technique};
  *fields[in.below(std::size(fields))] = in.number32();
  *fields[in.below(std::size(fields))] = in.number32();
  if (refused(atc_settings_apply(&tried))) {
    REQUIRE_CALL(atc_settings_get(&after) == ATC_OK);
    REQUIRE_CALL(std::memcmp(&before, &after, sizeof before) == 0);
  }
  REQUIRE_CALL(atc_settings_apply(&before) == ATC_OK);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in(data, size);
  atc_log_level_set(ATC_LOG_OFF);
  Roomy<atc_conv_problem> problem;
  problem.value = fuzz::valid_problem(in);
  for (std::size_t n = in.below(5); n > 0; --n) spoil(in, problem);
  plan_of(in, problem.value);
  others(in, problem.value);
  return 0;
}
