#include "host_cost.hpp"

#include <ATen/Parallel.h>

#include <vector>

#include "atc/extend.h"
#include "check.hpp"
#include "contenders.hpp"
#include "statistics.hpp"

namespace {

constexpr const char* kNothing = "nothing";
constexpr const char* kNothingsChoice = "nothing@1:nothing";
constexpr int kBlocks = 15, kCalls = 60;

// An engine that does nothing: it leaves the output unchanged. It is registered only while host
// costs are measured. Plans use it because their choice names it.
class NothingEngine {
 public:
  NothingEngine() {
    atc_engine engine{};
    engine.struct_size = sizeof(engine);
    engine.device_type = ATC_DEVICE_CPU;
    engine.name = kNothing;
    engine.version = "1";
    engine.offers = [](void*, const atc_conv_problem*, const atc_engine_limits*,
                       atc_offer_callback offer, void* payload) {
      atc_engine_offer own{};
      own.struct_size = sizeof(own);
      own.configuration = kNothing;
      return offer(&own, payload);
    };
    engine.prepare = [](void** prepared, void*, const atc_conv_problem*, const atc_engine_limits*,
                        const char*) {
      static char token;
      *prepared = &token;
      return atc_status{ATC_OK};
    };
    engine.set_weights = [](void*, void*, const void*) { return atc_status{ATC_OK}; };
    engine.execute = [](void*, void*, atc_engine_operands*) { return atc_status{ATC_OK}; };
    engine.release = [](void*, void*) {};
    check(atc_engine_register(&engine));
  }
  ~NothingEngine() { check(atc_engine_unregister(kNothing)); }
  NothingEngine(const NothingEngine&) = delete;
  NothingEngine& operator=(const NothingEngine&) = delete;
};

class OneThread {
 public:
  OneThread() : threads_(at::get_num_threads()) { at::set_num_threads(1); }
  ~OneThread() { at::set_num_threads(threads_); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int threads_;
};

atc_conv_problem miniature(atc_conv_problem p) {
  p.batch = 1;
  p.in_channels = p.out_channels = 8;
  p.groups = p.groups > 1 ? 8 : 1;
  for (int i = 0; i < p.spatial_dims; ++i) {
    p.padding_low[i] = p.padding_high[i] = p.output_padding[i] = 0;
    p.input[i] = p.transposed ? 1 : p.dilation[i] * (p.kernel[i] - 1) + 1;
  }
  return p;
}

}  // namespace

HostCost measure_host_cost(const atc_conv_problem& problem, const Target& target,
                           bool constant_weights) {
  const OneThread one_thread;
  const atc_conv_problem p = miniature(problem);
  const Inputs inputs = only_set(p, target);
  const NothingEngine nothing;
  Plan plan(p, target, constant_weights, 0, default_choice(p, target)),
      empty(p, target, constant_weights, 0, kNothingsChoice);
  plan.set_weights(inputs.w);
  empty.set_weights(inputs.w);
  std::vector<Contender> contenders{
      {"torch", torch_convolution(p), 1, {}, {}},
      {"eager", eager_convolution(p, target), 1, {}, {}},
      {"plan", [&](const Inputs& in) { return plan.run(in); }, 1, {}, {}},
      {"empty", [&](const Inputs& in) { return empty.run(in); }, 1, {}, {}},
      {"output", [&](const Inputs&) { return new_output(p, target); }, 1, {}, {}}};
  for (int block = -1; block < kBlocks; ++block) {  // block -1 only warms up
    for (Contender& contender : contenders) {
      target.synchronize();
      const double start = now();
      for (int call = 0; call < kCalls; ++call) contender.run(inputs);
      const double seconds = now() - start;
      target.synchronize();
      if (block >= 0) contender.hot.push_back(seconds / kCalls);
    }
  }
  const auto microseconds = [&](std::size_t i) { return median(contenders[i].hot) * 1e6; };
  return {microseconds(0), microseconds(1), microseconds(2),
          microseconds(2) - (microseconds(3) - microseconds(4))};
}
