// The time of a plan and of a cached eager call above the engine's own execute, on a convolution so
// small that the difference is visible. Run with --benchmark_enable_random_interleaving=true and
// repetitions, as bench/run does, which takes the medians.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "atc/atc.h"
#include "conv/choice.hpp"
#include "engines/registry.hpp"
#include "trace/call.hpp"

namespace {

constexpr std::int64_t kBatch = 1, kChannels = 8, kExtent = 4;
constexpr atc_device kCpu = {ATC_DEVICE_CPU, 0};

void check(atc_status status) {
  if (status == ATC_OK) return;
  std::fprintf(stderr, "%s: %s\n", atc_status_name(status), atc_last_error());
  std::exit(1);
}

atc_conv_problem tiny_problem() {
  atc_conv_problem problem;
  check(atc_conv_problem_init(&problem, 2));
  problem.batch = kBatch;
  problem.in_channels = problem.out_channels = kChannels;
  problem.input[0] = problem.input[1] = kExtent;
  problem.kernel[0] = problem.kernel[1] = 3;
  for (int i = 0; i < 2; ++i) problem.padding_low[i] = problem.padding_high[i] = 1;
  problem.layout = ATC_LAYOUT_CHANNELS_LAST;
  return problem;
}

// The same problem in the core's terms.
atc::Problem tiny_problem_inside() {
  atc::Problem problem;
  for (int i = 0; i < 2; ++i) problem.pad_low[i] = problem.pad_high[i] = 1;
  const std::int64_t c = kChannels, e = kExtent;
  problem.x = {atc::Dtype::f32, 4, {kBatch, c, e, e}, {c * e * e, 1, c * e, c}};
  problem.y = problem.x;
  problem.w = {atc::Dtype::f32, 4, {c, c, 3, 3}, {c * 9, 1, c * 3, c}};
  return problem;
}

struct Tensors {
  std::vector<std::int64_t> activation{kBatch, kChannels, kExtent, kExtent};
  std::vector<std::int64_t> activation_strides{kChannels * kExtent * kExtent, 1, kChannels* kExtent,
                                               kChannels};
  std::vector<std::int64_t> weights{kChannels, kChannels, 3, 3};
  std::vector<std::int64_t> weights_strides{kChannels * 9, 1, kChannels * 3, kChannels};
  alignas(64) float x[kBatch * kChannels * kExtent * kExtent] = {};
  alignas(64) float w[kChannels * kChannels * 9] = {};
  alignas(64) float y[kBatch * kChannels * kExtent * kExtent] = {};

  atc_tensor_view view(float* data, const std::vector<std::int64_t>& shape,
                       const std::vector<std::int64_t>& strides) const {
    return {data, kCpu, 4, {ATC_CODE_FLOAT, 32, 1}, shape.data(), strides.data(), 0};
  }
  atc_tensor_view x_view() { return view(x, activation, activation_strides); }
  atc_tensor_view w_view() { return view(w, weights, weights_strides); }
  atc_tensor_view y_view() { return view(y, activation, activation_strides); }
};

Tensors& tensors() {
  static Tensors tensors;
  return tensors;
}

atc_conv_plan* make_plan() {
  const atc_conv_problem problem = tiny_problem();
  atc_conv_plan* plan = nullptr;
  check(atc_conv_plan_create(&plan, kCpu, &problem, nullptr));
  return plan;
}

void engine_execute(benchmark::State& state) {
  atc_conv_plan* const plan = make_plan();
  const char* text = nullptr;
  check(atc_conv_plan_choice(&text, plan));
  const atc::conv::Choice choice = atc::conv::parse_choice(text);
  atc_conv_plan_destroy(plan);
  const auto engine = atc::EngineRegistry::instance().find(choice.engine);
  const auto prepared = engine->prepare(tiny_problem_inside(), {}, choice.configuration);
  std::vector<char> memory(prepared->workspace_size() + 64);
  void* workspace = memory.data();
  std::size_t space = memory.size();
  std::align(64, prepared->workspace_size(), workspace, space);
  const atc::Operands operands{tensors().x, tensors().w, nullptr, tensors().y};
  for (auto _ : state) prepared->execute(operands, workspace, nullptr);
}
BENCHMARK(engine_execute);

void plan_execute(benchmark::State& state) {
  atc_conv_plan* const plan = make_plan();
  const atc_tensor_view x = tensors().x_view(), w = tensors().w_view(), y = tensors().y_view();
  for (auto _ : state) check(atc_conv_plan_execute(plan, &x, &w, nullptr, &y, nullptr, 0, nullptr));
  atc_conv_plan_destroy(plan);
}
BENCHMARK(plan_execute);

void eager_cached(benchmark::State& state) {
  const atc_conv_problem problem = tiny_problem();
  const atc_tensor_view x = tensors().x_view(), w = tensors().w_view(), y = tensors().y_view();
  for (auto _ : state) check(atc_convolution(&problem, &x, &w, nullptr, &y, nullptr));
}
BENCHMARK(eager_cached);

// What the running trace adds to a call: it counts the call (timed every 2^30 calls), or times it,
// too. The bounds are 1 us for a call that is counted and 4 us for one that is timed.
constexpr std::uint32_t kRarely = 1u << 30, kAlways = 1;

class Traced {
 public:
  explicit Traced(std::uint32_t every) {
    atc_trace_options options = ATC_TRACE_OPTIONS_INIT;
    options.sample_every = every;
    check(atc_trace_start(&options));
  }
  ~Traced() { check(atc_trace_stop(nullptr)); }
  Traced(const Traced&) = delete;
  Traced& operator=(const Traced&) = delete;
};

// The part of plan_execute that a trace adds, alone: beside it, the engine's time would drown it.
void plan_call(benchmark::State& state, std::uint32_t every) {
  if (every != 0) {
    atc::trace::Options options;
    options.sample_every = every;
    atc::trace::start(options);
  }
  const atc::Problem problem = tiny_problem_inside();
  const std::string choice = "engine@1:configuration";
  atc::trace::Slot slot;
  for (auto _ : state) {
    if (!atc::trace::may_run()) continue;
    atc::trace::Call call(slot, {}, problem, choice, nullptr);
    call.end();
  }
  if (every != 0) atc::trace::stop();
}
BENCHMARK_CAPTURE(plan_call, off, 0);
BENCHMARK_CAPTURE(plan_call, counted, kRarely);
BENCHMARK_CAPTURE(plan_call, timed, kAlways);

void reported_call(benchmark::State& state, std::uint32_t every) {
  std::optional<Traced> traced;
  if (every != 0) traced.emplace(every);
  const atc_conv_problem problem = tiny_problem();
  for (auto _ : state) {
    atc_trace_call* call = nullptr;
    check(atc_trace_call_begin(&call, kCpu, &problem, "front end", nullptr));
    atc_trace_call_end(call);
  }
}
BENCHMARK_CAPTURE(reported_call, off, 0);
BENCHMARK_CAPTURE(reported_call, counted, kRarely);
BENCHMARK_CAPTURE(reported_call, timed, kAlways);

}  // namespace

BENCHMARK_MAIN();
