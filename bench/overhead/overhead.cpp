// Measures how much longer a call of a plan and a cached eager call take than the engine's own
// execute, on a convolution so small that the difference is visible. Also measures the time that a
// running trace adds to a call.
//
//   bench_overhead ROUNDS
//
// Prints a JSON document: for each way of making a call, the microseconds that one call takes. The
// ways take turns (turns.hpp).
#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "against_torch/check.hpp"
#include "atc/atc.h"
#include "conv/choice.hpp"
#include "engines/registry.hpp"
#include "trace/call.hpp"
#include "turns.hpp"

namespace {

constexpr std::int64_t kBatch = 1, kChannels = 8, kExtent = 4;
constexpr atc_device kCpu = {ATC_DEVICE_CPU, 0};

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

// Returns the tiny problem as a problem of the core (atc::Problem).
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

// Runs the choice of a plan by direct calls of its engine, without atc's code around the engine.
class Alone {
 public:
  explicit Alone(const atc_conv_plan* plan) {
    const char* text = nullptr;
    check(atc_conv_plan_choice(&text, plan));
    const atc::conv::Choice choice = atc::conv::parse_choice(text);
    engine_ = atc::EngineRegistry::instance().find(choice.engine);
    prepared_ = engine_->prepare(tiny_problem_inside(), {}, choice.configuration);
    memory_.resize(prepared_->workspace_size() + 64);
    workspace_ = memory_.data();
    std::size_t space = memory_.size();
    std::align(64, prepared_->workspace_size(), workspace_, space);
  }
  void run() const {
    prepared_->execute({tensors().x, tensors().w, nullptr, tensors().y}, workspace_, nullptr);
  }

 private:
  std::shared_ptr<const atc::Engine> engine_;
  std::unique_ptr<atc::Prepared> prepared_;
  std::vector<char> memory_;
  void* workspace_ = nullptr;
};

// A kind of trace whose cost is measured. A trace either only counts the calls (and times every
// 2^30th call), or also times each call. A trace may add 1 us to a call that is counted, and 4 us
// to a call that is timed.
struct Traced {
  const char* name;
  std::uint32_t every;  // n, if the trace times every n-th call; 0: no trace
};
constexpr Traced kTraced[] = {{"off", 0}, {"counted", 1u << 30}, {"timed", 1}};

// Returns a way that runs only the code that a running trace adds to plan_execute
// (atc_conv_plan_execute). If whole calls were timed, the engine's time would hide the time of this
// code. The trace is a trace of the static library atc_internal, and not of libatc.
atc::bench::Way plan_call(const Traced& traced, atc::trace::Slot& slot) {
  static const atc::Problem problem = tiny_problem_inside();
  static const std::string choice = "engine@1:configuration";
  const auto call = [&slot] {
    if (!atc::trace::may_run()) return;
    atc::trace::Call call(slot, {}, problem, choice, nullptr);
    call.end();
  };
  if (traced.every == 0) return {fmt::format("plan_call/{}", traced.name), call};
  const auto start = [every = traced.every] {
    atc::trace::Options options;
    options.sample_every = every;
    atc::trace::start(options);
  };
  return {fmt::format("plan_call/{}", traced.name), call, start, [] { atc::trace::stop(); }};
}

atc::bench::Way reported_call(const Traced& traced) {
  static const atc_conv_problem problem = tiny_problem();
  const auto call = [] {
    atc_trace_call* call = nullptr;
    check(atc_trace_call_begin(&call, kCpu, &problem, "front end", nullptr));
    atc_trace_call_end(call);
  };
  if (traced.every == 0) return {fmt::format("reported_call/{}", traced.name), call};
  const auto start = [every = traced.every] {
    atc_trace_options options = ATC_TRACE_OPTIONS_INIT;
    options.sample_every = every;
    check(atc_trace_start(&options));
  };
  const auto stop = [] { check(atc_trace_stop(nullptr)); };
  return {fmt::format("reported_call/{}", traced.name), call, start, stop};
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc == 2 ? std::atoi(argv[1]) : 0;
  if (rounds < 1) {
    fmt::print(stderr, "usage: bench_overhead ROUNDS, of 1 or more\n");
    return 2;
  }
  atc_conv_plan* const plan = make_plan();
  const Alone alone(plan);
  const atc_conv_problem problem = tiny_problem();
  const atc_tensor_view x = tensors().x_view(), w = tensors().w_view(), y = tensors().y_view();
  std::vector<atc::bench::Way> ways = {
      {"engine_execute", [&] { alone.run(); }},
      {"plan_execute",
       [&] { check(atc_conv_plan_execute(plan, &x, &w, nullptr, &y, nullptr, 0, nullptr)); }},
      {"eager_cached", [&] { check(atc_convolution(&problem, &x, &w, nullptr, &y, nullptr)); }},
  };
  atc::trace::Slot slot;
  for (const Traced& traced : kTraced) ways.push_back(plan_call(traced, slot));
  for (const Traced& traced : kTraced) ways.push_back(reported_call(traced));
  constexpr int kCalls = 10000;
  std::string text;
  for (const atc::bench::Spread& one :
       atc::bench::microseconds_in_turn(ways, rounds, kCalls, [] {}))
    text += fmt::format("{}\n  \"{}\": {{\"median\": {:.6g}, \"p25\": {:.6g}, \"p75\": {:.6g}}}",
                        text.empty() ? "" : ",", one.name, one.median, one.p25, one.p75);
  fmt::print("{{{}\n}}\n", text);
  atc_conv_plan_destroy(plan);
}
