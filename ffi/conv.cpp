#include "atc/conv.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cached_call.hpp"
#include "conv/decide/policy.hpp"
#include "conv/decide/watched.hpp"
#include "conv/run/plan.hpp"
#include "conv/run/plan_cache.hpp"
#include "conv/run/sample.hpp"
#include "convert.hpp"
#include "convert_candidate.hpp"
#include "convert_operands.hpp"
#include "convert_own.hpp"
#include "guard.hpp"
#include "progress.hpp"

using namespace atc;
using namespace atc::ffi;

struct atc_conv_plan {
  explicit atc_conv_plan(std::unique_ptr<conv::Plan> plan) : lease(std::move(plan)) {}
  atc_conv_plan(const conv::CallKey& key, const conv::PlanLease::Make& make) : lease(key, make) {}

  conv::PlanLease lease;

  conv::Plan& plan() const { return lease.plan(); }
};

namespace {

// Decides. If the options give a choice, the decision has that choice.
conv::Decided decide(const Problem& problem, const conv::Request& request, const char* choice,
                     const conv::OnTuning& on_progress) {
  if (choice == nullptr || *choice == '\0')
    return conv::decide_watched(problem, request, on_progress);
  return conv::decide_given(problem, request, conv::parse_choice(choice));
}

// The inputs of a call, as a race may read them.
Operands inputs_of(const Problem& problem, Operands operands, const atc_tensor_view* bias) {
  if (problem.from_transposed) std::swap(operands.x, operands.y);
  if (bias != nullptr) operands.bias = address_of(*bias);
  output_of(problem, operands) = nullptr;
  return operands;
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
      case ATC_OPERAND_BIAS:
        tensor.rank = 1;
        tensor.shape[0] = problem.output_channels();
        tensor.strides[0] = 1;
        break;
      default:
        fail(Status::invalid_argument, "operand is {}: use an operand (1 to 4)", operand);
    }
    if (shape != nullptr) std::copy_n(tensor.shape.begin(), tensor.rank, shape);
    if (strides != nullptr) std::copy_n(tensor.strides.begin(), tensor.rank, strides);
  });
}

atc_status atc_conv_plan_create(atc_conv_plan** out, atc_device device,
                                const atc_conv_problem* problem,
                                const atc_conv_options* options) noexcept {
  return guard([&] {
    required(out, "out");
    const DeviceId id = to_device(device);
    const Problem known = to_problem(problem);
    const atc_conv_options given = read_plan_options(options);
    const conv::PlanOptions asked = to_plan_options(given);
    conv::Request request = conv::resolve(id, known, asked, current_settings());
    request.must_tune = asked.tune == conv::TuningMode::on;
    auto decided =
        decide(known, request, given.choice, to_on_tuning(given.progress, given.progress_payload));
    *out = new atc_conv_plan(std::make_unique<conv::Plan>(known, request, std::move(decided)));
  });
}

atc_status atc_conv_plan_create_with_choice(atc_conv_plan** out, atc_device device,
                                            const atc_conv_problem* problem,
                                            const atc_conv_options* options,
                                            const char* choice) noexcept {
  return guard([&] {
    required(out, "out");
    const DeviceId id = to_device(device);
    const Problem known = to_problem(problem);
    const conv::PlanOptions asked = to_plan_options(read_plan_options(options));
    const conv::Choice given = conv::parse_choice(&required(choice, "choice"));
    const conv::Request request = conv::resolve(id, known, asked, current_settings());
    auto decided = conv::decide_given(known, request, given);
    *out = new atc_conv_plan(std::make_unique<conv::Plan>(known, request, std::move(decided)));
  });
}

void atc_conv_plan_destroy(atc_conv_plan* plan) noexcept {
  guard_void([&] { delete plan; });
}

atc_status atc_conv_plan_workspace_size(uint64_t* out, const atc_conv_plan* plan) noexcept {
  return guard([&] { required(out, "out") = required(plan, "plan").plan().workspace_size(); });
}

atc_status atc_conv_plan_execute(atc_conv_plan* handle, const atc_tensor_view* x,
                                 const atc_tensor_view* w, const atc_tensor_view* bias,
                                 const atc_tensor_view* y, void* workspace, uint64_t workspace_size,
                                 atc_stream stream) noexcept {
  return guard([&] {
    conv::Plan& plan = required(handle, "plan").plan();
    const Operands operands =
        check_operands(plan.problem(), {x, w, bias, y}, plan.device(), plan.has_weights());
    check_alignment(plan.problem(), {x, w, bias, y}, plan.alignment());
    if (workspace != nullptr) {
      if (workspace_size < plan.workspace_size())
        fail(Status::invalid_argument,
             "workspace_size is {}, the plan needs {}: ask the plan for its workspace_size",
             workspace_size, plan.workspace_size());
      const std::uintptr_t alignment = plan.device().type == DeviceType::cuda ? 256 : 64;
      if (reinterpret_cast<std::uintptr_t>(workspace) % alignment != 0)
        fail(Status::invalid_argument, "workspace {} is not aligned to {} bytes", workspace,
             alignment);
      check_workspace_alone(plan.problem(), operands, workspace, plan.workspace_size());
    }
    plan.execute(operands, workspace, stream);
  });
}

atc_status atc_conv_plan_set_weights(atc_conv_plan* handle, const atc_tensor_view* w) noexcept {
  return guard([&] {
    conv::Plan& plan = required(handle, "plan").plan();
    const atc_tensor_view& view = required(w, "w");
    if (handle->lease.from_cache())
      fail(Status::invalid_argument,
           "the plan belongs to the cache of plans, and its next user has other weights: create a "
           "plan of your own");
    if (plan.problem().direction == Direction::backward_weight)
      fail(Status::invalid_argument,
           "the plan is backward-weight, whose w is the output: it takes no constant weights");
    check_view(view, plan.problem().w, "w");
    check_device(view, plan.device(), "w");
    Operands operands;
    operands.w = address_of(view);
    check_alignment(plan.problem(), {nullptr, &view, nullptr, nullptr}, plan.alignment());
    plan.set_weights(operands.w);
  });
}

atc_status atc_conv_plan_sample(double* out, size_t count, atc_conv_plan* plan,
                                uint64_t seed) noexcept {
  return guard([&] {
    double& first = required(out, "out");
    const std::vector<double> values = conv::sample(required(plan, "plan").plan(), seed, count);
    std::copy(values.begin(), values.end(), &first);
  });
}

atc_status atc_conv_plan_choice(const char** out, const atc_conv_plan* plan) noexcept {
  return guard([&] { required(out, "out") = required(plan, "plan").plan().choice().c_str(); });
}

atc_status atc_conv_plan_source(int32_t* out, const atc_conv_plan* plan) noexcept {
  return guard([&] {
    required(out, "out") = static_cast<int32_t>(required(plan, "plan").plan().decision().source);
  });
}

atc_status atc_conv_plan_provisional(int32_t* out, double* risk,
                                     const atc_conv_plan* plan) noexcept {
  return guard([&] {
    required(out, "out");
    const conv::Decision& decision = required(plan, "plan").plan().decision();
    *out = decision.unstable ? 1 : 0;
    if (risk != nullptr) *risk = decision.unstable ? decision.risk : 0;
  });
}

atc_status atc_conv_plan_candidate_count(size_t* out, const atc_conv_plan* plan) noexcept {
  return guard(
      [&] { required(out, "out") = required(plan, "plan").plan().decision().candidates.size(); });
}

atc_status atc_conv_plan_candidate(atc_candidate* out, const atc_conv_plan* plan,
                                   size_t index) noexcept {
  return guard([&] { write_candidate(out, required(plan, "plan").plan().decision(), index); });
}

atc_status atc_convolution(const atc_conv_problem* problem, const atc_tensor_view* x,
                           const atc_tensor_view* w, const atc_tensor_view* bias,
                           const atc_tensor_view* y, atc_stream stream) noexcept {
  return guard([&] {
    const auto known = comparable_problem(problem);
    const DeviceId device = to_device(required(x, "x").device);
    Operands addresses;
    addresses.x = address_of(*x);
    addresses.w = address_of(required(w, "w"));
    addresses.y = address_of(required(y, "y"));
    const conv::CallKey key{{reinterpret_cast<const char*>(&known), sizeof(known)},
                            device,
                            alignment_of(addresses),
                            stream,
                            conv::Knowledge::of_process()};
    const conv::PlanLease lease(key, [&](const Settings& settings) {
      const Problem described = to_problem(&known);
      check_operands(described, {x, w, bias, y}, device, false);  // before anything is measured
      conv::PlanOptions options;
      options.alignment = key.alignment;
      options.knowledge = key.knowledge;
      conv::Request request = conv::resolve(device, described, options, settings);
      request.stream = stream;
      request.lent = inputs_of(described, addresses, bias);
      auto decided = conv::decide(described, request);
      return std::make_unique<conv::Plan>(described, request, std::move(decided));
    });
    const Operands operands =
        check_operands(lease.plan().problem(), {x, w, bias, y}, device, false);
    lease.plan().execute(operands, nullptr, stream);
  });
}

atc_status atc_conv_plan_acquire(atc_conv_plan** out, atc_device device,
                                 const atc_conv_problem* problem, const atc_conv_options* options,
                                 atc_stream stream) noexcept {
  return guard([&] {
    required(out, "out");
    const DeviceId id = to_device(device);
    CachedCall call{comparable_problem(problem), comparable_options(options)};
    // The cache's key contains the text of a given choice and the identity of the store. The
    // allocator and the progress callback are not part of it.
    const auto knowledge = to_knowledge(call.options.store, call.options.use_store);
    const auto allocator = to_allocator(call.options.allocator);
    const auto on_progress = to_on_tuning(call.options.progress, call.options.progress_payload);
    const std::string choice = call.options.choice == nullptr ? "" : call.options.choice;
    call.options.choice = nullptr;
    call.options.store = nullptr;
    call.options.allocator = nullptr;
    call.options.progress = nullptr;
    call.options.progress_payload = nullptr;
    std::string_view known_by(reinterpret_cast<const char*>(&call), sizeof(call));
    std::string with_choice;
    if (!choice.empty()) known_by = with_choice.append(known_by).append(choice);
    const conv::CallKey key{known_by, id, 0, stream,
                            knowledge ? *knowledge : conv::Knowledge::of_process()};
    auto plan = std::make_unique<atc_conv_plan>(key, [&](const Settings& settings) {
      const Problem known = to_problem(&call.problem);
      conv::PlanOptions asked = to_plan_options(call.options);
      asked.knowledge = key.knowledge;
      asked.allocator = allocator;
      conv::Request request = conv::resolve(id, known, asked, settings);
      request.stream = stream;
      auto decided = decide(known, request, choice.c_str(), on_progress);
      return std::make_unique<conv::Plan>(known, request, std::move(decided));
    });
    plan->plan().use_allocator(allocator);
    *out = plan.release();
  });
}

void atc_conv_plan_release(atc_conv_plan* plan) noexcept {
  guard_void([&] { delete plan; });
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
