// Measures the host's time for one call on CUDA, for several ways to run the same layer: a call of
// cuDNN alone that is completely prepared; a plan of atc with the same configuration; this plan
// while a trace only counts, or also times, its calls; an eager call of atc; and, if the build has
// LibTorch, at::convolution without atc and with atc installed.
//
//   bench_cuda_host_cost ROUNDS > results.json
//
// The ways take turns. A sample is the mean of twenty calls in a row, between which the host does
// not wait for the device.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <vector>

#include "against_torch/check.hpp"
#include "at_convolution.hpp"
#include "atc/atc.h"
#include "core/allocator.hpp"
#include "core/error.hpp"
#include "core/json.hpp"
#include "device/cuda/driver.hpp"
#include "device/cuda/stream.hpp"
#include "engines/cudnn/configuration.hpp"
#include "engines/cudnn/library.hpp"
#include "engines/cudnn/prepared.hpp"
#include "engines/cudnn/session.hpp"
#include "engines/registry.hpp"
#include "turns.hpp"

namespace atc {
namespace {

constexpr int kCalls = 20;
constexpr DeviceId kDevice{DeviceType::cuda, 0};

struct Format {
  const char* name;
  atc_dtype asked;
  Dtype known;
  atc_layout layout;
};

constexpr Format kFormats[] = {
    {"f16, channels last", ATC_DTYPE_F16, Dtype::f16, ATC_LAYOUT_CHANNELS_LAST},
    {"f32, channels first", ATC_DTYPE_F32, Dtype::f32, ATC_LAYOUT_CHANNELS_FIRST},
};

// A 3x3 layer that is so small that the device keeps up with the host.
struct Layer {
  atc_conv_problem asked;
  Problem known;
  Allocation x, w, y;
  atc_tensor_view x_view, w_view, y_view;

  Layer(std::int64_t channels, const Format& format) {
    check(atc_conv_problem_init(&asked, 2));
    asked.batch = 1;
    asked.in_channels = asked.out_channels = channels;
    asked.layout = format.layout;
    asked.x_dtype = asked.w_dtype = asked.y_dtype = format.asked;
    known.spatial = 2;
    for (int i = 0; i < 2; ++i) {
      asked.input[i] = 8;
      asked.kernel[i] = 3;
      asked.padding_low[i] = asked.padding_high[i] = 1;
      known.pad_low[i] = known.pad_high[i] = 1;
    }
    describe(ATC_OPERAND_X, format.known, known.x, x, x_view);
    describe(ATC_OPERAND_W, format.known, known.w, w, w_view);
    describe(ATC_OPERAND_Y, format.known, known.y, y, y_view);
  }

  Operands operands() const {
    Operands operands;
    operands.x = x.data();
    operands.w = w.data();
    operands.y = y.data();
    return operands;
  }

 private:
  void describe(std::int32_t operand, Dtype dtype, Tensor& tensor, Allocation& memory,
                atc_tensor_view& view) {
    tensor.dtype = dtype;
    tensor.rank = 4;
    check(atc_conv_operand_shape(tensor.shape.data(), tensor.strides.data(), &asked, operand));
    memory = Allocation(tensor.span_bytes(), kDevice);
    cuda::set_bytes(memory.data(), 0, memory.size(), nullptr);
    const auto bits = static_cast<std::uint8_t>(8 * size_of(dtype));
    view = {memory.data(),       {ATC_DEVICE_CUDA, 0},  4, {ATC_CODE_FLOAT, bits, 1},
            tensor.shape.data(), tensor.strides.data(), 0};
  }
};

// The values of `sample_every` for the two measured traces: one times only the first call (the next
// one would be call 2^30), the other times each call.
constexpr std::uint32_t kRarely = 1u << 30, kAlways = 1;

// Returns a way that runs `call` while a trace runs. Before the timed calls, `call` runs a few
// times, so that the trace's row and CUDA events for it exist already.
bench::Way traced(const char* name, std::uint32_t every, const std::function<void()>& call) {
  const auto start = [every, call] {
    atc_trace_options options = ATC_TRACE_OPTIONS_INIT;
    options.sample_every = every;
    check(atc_trace_start(&options));
    for (int i = 0; i < kCalls; ++i) call();
  };
  return {name, call, start, [] { check(atc_trace_stop(nullptr)); }};
}

nlohmann::json measured(std::int64_t channels, const Format& format, int rounds) {
  // The context of the device must be current before memory is allocated.
  const cuda::ContextScope scope(kDevice.index);
  Layer layer(channels, format);
  const cuda::OwnStream stream;
  Stream const queue = stream;
  Limits limits;
  limits.alignment = 16;
  limits.device = kDevice;
  std::string why_not;
  const auto engine = EngineRegistry::instance().find("cudnn");
  const auto offers = engine->first_offers(layer.known, limits, 1, why_not);
  if (offers.empty()) fail(Status::unsupported, "cuDNN offers nothing: {}", why_not);
  const std::string& configuration = offers.front().configuration;

  cudnn::Session& session = cudnn::session(scope.context());
  cudnn::ExecutionPlan alone = cudnn::build_plan(session.handle(), layer.known, limits,
                                                 cudnn::parse_configuration(configuration));
  const Allocation workspace(std::max<std::uint64_t>(alone.workspace, 1), kDevice, stream);
  // This call makes cuDNN's variant pack (the list of operand addresses) and sets the stream. So
  // the timed calls contain nothing but cuDNN's own function.
  session.execute(alone, layer.operands(), workspace.data(), stream);

  atc_conv_options options{};
  options.struct_size = sizeof(options);
  options.alignment = 16;
  atc_conv_plan* plan = nullptr;
  const std::string choice = fmt::format("cudnn@{}:{}", engine->version(), configuration);
  check(atc_conv_plan_create_with_choice(&plan, {ATC_DEVICE_CUDA, 0}, &layer.asked, &options,
                                         choice.c_str()));
  std::uint64_t size = 0;
  check(atc_conv_plan_workspace_size(&size, plan));
  const Allocation own(std::max<std::uint64_t>(size, 1), kDevice, stream);

  const auto run_plan = [&] {
    check(atc_conv_plan_execute(plan, &layer.x_view, &layer.w_view, nullptr, &layer.y_view,
                                own.data(), own.size(), static_cast<atc_stream>(queue)));
  };
  std::vector<bench::Way> ways = {
      {"cudnn",
       [&] { cudnn::library().api.execute(session.handle(), alone.plan.raw(), alone.pack.raw()); }},
      {"plan", run_plan},
      traced("plan, counted", kRarely, run_plan),
      traced("plan, timed", kAlways, run_plan),
      {"eager",
       [&] {
         check(atc_convolution(&layer.asked, &layer.x_view, &layer.w_view, nullptr, &layer.y_view,
                               static_cast<atc_stream>(queue)));
       }},
  };
  for (bench::Way& way : bench::at_convolution(layer.x_view, layer.w_view))
    ways.push_back(std::move(way));
  const auto settle = [&] {
    cuda::synchronize(stream);
    cuda::synchronize(nullptr);
  };
  const auto spreads = bench::microseconds_in_turn(ways, rounds, kCalls, settle);
  settle();
  atc_conv_plan_destroy(plan);
  nlohmann::json result = {
      {"channels", channels}, {"format", format.name}, {"choice", choice}, {"workspace", size}};
  for (const bench::Spread& one : spreads)
    result["microseconds"][one.name] = {{"median", one.median}, {"p5", one.p5}, {"p95", one.p95}};
  return result;
}

}  // namespace
}  // namespace atc

int main(int argc, char** argv) {
  const int rounds = argc == 2 ? std::atoi(argv[1]) : 0;
  if (rounds < 1) {
    fmt::print(stderr, "usage: bench_cuda_host_cost ROUNDS, of 1 or more\n");
    return 2;
  }
  try {
    nlohmann::json results = nlohmann::json::array();
    for (const atc::Format& format : atc::kFormats)
      for (const std::int64_t channels : {16, 64, 256})
        results.push_back(atc::measured(channels, format, rounds));
    std::cout << nlohmann::json{{"cudnn", atc::cudnn::library().version}, {"cells", results}}.dump(
                     1)
              << "\n";
  } catch (const atc::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
