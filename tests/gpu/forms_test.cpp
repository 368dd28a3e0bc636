// Runs every form of every kernel once, on small problems in allocations of exactly their size. A
// form is a configuration of a kernel for one direction, dtype and memory layout, with or without
// TF32. These tests run under compute-sanitizer (scripts/gpu-test --sanitize), which slows them
// down many times.
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include "cuda_test.hpp"
#include "device/cuda/driver_probe.hpp"
#include "engines/kernels/depthwise/plan.hpp"
#include "engines/registry.hpp"
#include "engines/rewrite/rewrites.hpp"
#include "offers.hpp"
#include "support/problems.hpp"

namespace atc {
namespace {

using test::NetworkLayer;

class Forms : public test::CudaTest {
 protected:
  // Checks the engine's offers for these layers. If several offers have the same kernel form (the
  // configuration of a kernel for one direction, dtype and layout), only the first of them is
  // checked.
  void check(const char* name, const std::vector<NetworkLayer>& layers) {
    const auto engine = EngineRegistry::instance().find(name);
    for (const NetworkLayer& layer : layers)
      for (Problem problem : test::forms_of(layer)) {
        if (problem.direction != Direction::backward_weight) problem.epilogue = Epilogue::bias_relu;
        run(*engine, problem, test::cuda_limits());
        if (problem.x.dtype == Dtype::f32) run(*engine, problem, test::cuda_limits(16, false));
      }
    std::cout << seen_.size() << " forms\n";
    EXPECT_GT(seen_.size(), 0u);
  }

  void run(const Engine& engine, const Problem& problem, const Limits& limits) {
    std::string why_not;
    std::vector<std::string> fresh;
    for (const Offer& offer : engine.offers(problem, limits, why_not))
      if (is_new(problem, limits, offer.configuration)) fresh.push_back(offer.configuration);
    run(engine, problem, limits, fresh);
  }
  static void run(const Engine& engine, const Problem& problem, const Limits& limits,
                  const std::vector<std::string>& configurations) {
    if (configurations.empty()) return;
    const test::Direct direct(problem);
    for (const std::string& configuration : configurations)
      direct.expect_of(*engine.prepare(problem, limits, configuration), configuration);
  }

  bool is_new(const Problem& problem, const Limits& limits, const std::string& configuration) {
    std::string form(name_of(problem.direction));
    form.append(" ").append(name_of(problem.x.dtype));
    form += problem.x.channels_first() ? " first " : " last ";
    if (limits.allow_tf32) form += "tf32 ";
    return seen_.insert(form + configuration).second;
  }

  std::set<std::string> seen_;
};

const std::vector<NetworkLayer> kGrouped{
    {2, 32, 9, 11, 32, 3, 3, 1, 1, 1, 4},  {1, 48, 8, 9, 24, 3, 3, 1, 1, 2, 3},
    {2, 32, 7, 8, 64, 3, 3, 1, 1, 1, 2},   {1, 96, 7, 7, 96, 3, 3, 1, 1, 1, 2},
    {1, 32, 7, 8, 32, 3, 3, 1, 1, 1, 2},   {1, 48, 7, 8, 48, 3, 3, 1, 1, 1, 2},
    {1, 224, 7, 5, 224, 3, 3, 1, 1, 1, 2}, {1, 12, 6, 7, 20, 2, 2, 0, 0, 1, 4},
};

TEST_F(Forms, Implicit) {
  std::vector<NetworkLayer> layers = kGrouped;
  layers.push_back({2, 3, 17, 19, 24, 7, 7, 3, 3, 2});
  layers.push_back({1, 4, 9, 16, 40, 3, 3, 1, 1});
  layers.push_back({1, 3, 9, 16, 32, 3, 3, 1, 1});
  check("implicit", layers);
}

TEST_F(Forms, Grouped) { check("grouped", kGrouped); }

TEST_F(Forms, First) {
  check("first", {{2, 3, 17, 19, 24, 7, 7, 3, 3, 2},
                  {1, 3, 17, 18, 64, 7, 7, 3, 3, 2},
                  {1, 4, 9, 16, 72, 3, 3, 1, 1},
                  {1, 3, 9, 12, 64, 3, 3, 1, 1},
                  {1, 3, 9, 13, 40, 5, 5, 2, 2},
                  {1, 4, 14, 16, 32, 11, 11, 5, 5, 4},
                  {1, 4, 14, 16, 64, 11, 11, 5, 5, 4},
                  {1, 1, 12, 12, 8, 5, 5, 2, 2}});
}

TEST_F(Forms, Dense) {
  check("dense", {{2, 19, 9, 12, 40, 3, 3, 1, 1},
                  {1, 64, 8, 16, 130, 3, 3, 1, 1},
                  {2, 16, 9, 12, 24, 3, 3, 1, 1, 2},
                  {1, 80, 5, 40, 64, 2, 2, 0, 0}});
}

// Returns depthwise layers of one, two and three dimensions. For some of them there is a
// specialised kernel, and for the others only the general kernel.
std::vector<test::Spec> depthwise_layers() {
  std::vector<test::Spec> specs;
  const auto add = [&](int spatial, std::int64_t channels, const Extents& in, std::int64_t kernel,
                       std::int64_t stride, std::int64_t multiplier = 1) {
    test::Spec spec;
    spec.spatial = spatial;
    spec.channels_in = spec.groups = channels;
    spec.channels_out = channels * multiplier;
    spec.in = in;
    spec.kernel.fill(kernel);
    spec.stride.fill(stride);
    spec.pad_low.fill(kernel / 2);
    spec.pad_high.fill(kernel / 2);
    specs.push_back(spec);
  };
  for (const std::int64_t channels : {16, 40}) {
    for (const std::int64_t kernel : {2, 3, 4, 5, 7, 9})
      for (const std::int64_t stride : {1, 2})
        for (const std::int64_t width : {7, 30}) add(2, channels, {9, width, 1}, kernel, stride);
    for (const std::int64_t kernel : {2, 3, 4, 5, 7}) add(1, channels, {131, 1, 1}, kernel, 1);
    add(1, channels, {131, 1, 1}, 7, 2);
    add(3, channels, {5, 9, 11}, 3, 1);
  }
  for (const std::int64_t kernel : {11, 13, 31}) add(2, 16, {12, 20, 1}, kernel, 1);
  add(2, 6, {9, 11, 1}, 3, 3);
  add(2, 6, {9, 11, 1}, 3, 1, 2);
  return specs;
}

// For gradients of weights, runs the engine's offers. For the other directions, runs each kernel
// once, including kernels that the engine does not offer.
TEST_F(Forms, Depthwise) {
  const auto engine = EngineRegistry::instance().find("depthwise");
  const Limits limits = test::cuda_limits();
  const int multiprocessors = cuda::driver().devices.at(0).multiprocessors;
  for (const test::Spec& spec : depthwise_layers())
    for (const Problem& problem : test::forms_of(spec)) {
      if (problem.direction == Direction::backward_weight) {
        run(*engine, problem, limits);
        continue;
      }
      std::vector<std::string> fresh;
      for (const depthwise::Plan& plan : depthwise::plans(problem, limits, multiprocessors))
        if (seen_.insert(plan.kernel).second) fresh.push_back(plan.configuration);
      run(*engine, problem, limits, fresh);
    }
  std::cout << seen_.size() << " forms\n";
}

TEST_F(Forms, Rewrites) {
  const auto reference = EngineRegistry::instance().find("reference");
  std::size_t ways = 0;
  for (const auto make : {make_channels_last_rewrite, make_patch_rewrite, make_subsample_rewrite,
                          make_channel_padding_rewrite})
    for (const NetworkLayer& layer :
         {NetworkLayer{2, 19, 9, 12, 24, 3, 3, 1, 1}, NetworkLayer{2, 40, 8, 8, 24, 2, 2, 0, 0, 2},
          NetworkLayer{2, 3, 16, 32, 24, 16, 16, 0, 0, 16},
          NetworkLayer{1, 35, 9, 9, 70, 1, 1, 0, 0, 2}})
      for (const Problem& problem : test::forms_of(layer)) {
        const auto rewrite = make();
        std::string why_not;
        const auto rewritings = rewrite->rewritings(problem, test::cuda_limits(), why_not);
        if (rewritings.empty()) continue;
        const test::Direct direct(problem);
        for (const Rewriting& rewriting : rewritings) {
          direct.expect_of(*rewrite->prepare(problem, test::cuda_limits(), rewriting,
                                             reference->prepare(rewriting.problem,
                                                                test::cuda_limits(), "direct")),
                           rewrite->name() + " " + rewriting.configuration);
          ++ways;
        }
      }
  std::cout << ways << " ways\n";
  EXPECT_GT(ways, 0u);
}

}  // namespace
}  // namespace atc
