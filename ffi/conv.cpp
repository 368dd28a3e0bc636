// The functions of atc/conv.h that take no handle of a plan: they describe problems, run a
// convolution in a single call, or control the cache of plans. The functions that take such a
// handle are in plan_create.cpp and plan.cpp.
#include "atc/conv.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "cached_call.hpp"
#include "conv/decide/policy.hpp"
#include "conv/run/plan.hpp"
#include "conv/run/plan_cache.hpp"
#include "convert.hpp"
#include "convert_operands.hpp"
#include "guard.hpp"

using namespace atc;
using namespace atc::ffi;

namespace {

// Returns the addresses of a call's operands, with null in place of the output. If the call starts
// a race (the timing of candidates), the race reads these inputs and need not make copies of them.
Operands inputs_of(const Problem& problem, Operands operands, const Views& views) {
  if (problem.from_transposed) std::swap(operands.x, operands.y);
  if (views.bias != nullptr) operands.bias = address_of(*views.bias);
  if (views.scale != nullptr) operands.scale = address_of(*views.scale);
  if (views.residual != nullptr) operands.residual = address_of(*views.residual);
  output_of(problem, operands) = nullptr;
  return operands;
}

void convolve(const atc_conv_problem* problem, const Views& views, atc_stream stream) {
  const auto known = comparable_problem(problem);
  const DeviceId device = to_device(required(views.x, "x").device);
  Operands addresses;
  addresses.x = address_of(*views.x);
  addresses.w = address_of(required(views.w, "w"));
  addresses.y = address_of(required(views.y, "y"));
  if (views.residual != nullptr) addresses.residual = address_of(*views.residual);
  const conv::CallKey key{{reinterpret_cast<const char*>(&known), sizeof(known)},
                          device,
                          alignment_of(addresses),
                          stream,
                          conv::Knowledge::of_process()};
  const conv::PlanLease lease(key, [&](const Settings& settings) {
    const Problem described = to_problem(&known);
    // Refuses wrong operands here, because conv::decide may take seconds to time candidates.
    check_operands(described, views, device, false);
    conv::PlanOptions options;
    options.alignment = key.alignment;
    options.knowledge = key.knowledge;
    conv::Request request = conv::resolve(device, described, options, settings);
    request.stream = stream;
    request.lent = inputs_of(described, addresses, views);
    auto decided = conv::decide(described, request);
    return std::make_unique<conv::Plan>(described, request, std::move(decided));
  });
  const Operands operands = check_operands(lease.plan().problem(), views, device, false);
  lease.plan().execute(operands, nullptr, stream);
}

}  // namespace

extern "C" {

atc_status atc_conv_problem_init_sized(atc_conv_problem* out, size_t struct_size,
                                       int32_t spatial_dims) noexcept {
  return guard_anywhere([&] {
    required(out, "out");
    if (spatial_dims < 1 || spatial_dims > kMaxSpatial)
      fail(Status::invalid_argument, "spatial_dims is {}: use 1 to {}", spatial_dims, kMaxSpatial);
    atc_conv_problem problem{};
    problem.direction = ATC_FORWARD;
    problem.spatial_dims = spatial_dims;
    problem.batch = problem.in_channels = problem.out_channels = problem.groups = 1;
    for (int i = 0; i < spatial_dims; ++i)
      problem.input[i] = problem.kernel[i] = problem.stride[i] = problem.dilation[i] = 1;
    problem.x_dtype = problem.w_dtype = problem.y_dtype = ATC_DTYPE_F32;
    problem.layout = ATC_LAYOUT_CHANNELS_FIRST;
    problem.epilogue = ATC_EPILOGUE_NONE;
    init_struct(out, struct_size, problem);
  });
}

atc_status atc_conv_operand_shape(int64_t* shape, int64_t* strides, const atc_conv_problem* given,
                                  int32_t operand) noexcept {
  return guard_anywhere([&] {
    const Problem problem = to_problem(given);
    Tensor tensor;
    switch (operand) {
      case ATC_OPERAND_X:
        tensor = caller_x(problem);
        break;
      case ATC_OPERAND_W:
        tensor = problem.w;
        break;
      case ATC_OPERAND_Y:
        tensor = caller_y(problem);
        break;
      case ATC_OPERAND_RESIDUAL:
        tensor = problem.output();
        break;
      case ATC_OPERAND_BIAS:
      case ATC_OPERAND_SCALE:
        tensor.rank = 1;
        tensor.shape[0] = problem.output_channels();
        tensor.strides[0] = 1;
        break;
      default:
        fail(Status::invalid_argument, "operand is {}: use an operand (1 to 6)", operand);
    }
    if (shape != nullptr) std::copy_n(tensor.shape.begin(), tensor.rank, shape);
    if (strides != nullptr) std::copy_n(tensor.strides.begin(), tensor.rank, strides);
  });
}

atc_status atc_convolution(const atc_conv_problem* problem, const atc_tensor_view* x,
                           const atc_tensor_view* w, const atc_tensor_view* bias,
                           const atc_tensor_view* y, atc_stream stream) noexcept {
  return guard([&] { convolve(problem, {x, w, bias, y}, stream); });
}

atc_status atc_convolution_v2(const atc_conv_problem* problem, const atc_conv_operands* operands,
                              atc_stream stream) noexcept {
  return guard([&] { convolve(problem, to_views(operands), stream); });
}

atc_status atc_cache_clear(void) noexcept {
  return guard([] { conv::clear_plan_cache(); });
}

atc_status atc_cache_stats(atc_cache_statistics* out) noexcept {
  return guard([&] {
    const conv::CacheStatistics known = conv::cache_statistics();
    atc_cache_statistics statistics{};
    statistics.plans = known.plans;
    statistics.hits = known.hits;
    statistics.misses = known.misses;
    statistics.evictions = known.evictions;
    statistics.put_off = known.put_off;
    statistics.bytes = known.bytes;
    statistics.byte_limit = known.byte_limit;
    write_struct(out, statistics, "out");
  });
}

}  // extern "C"
