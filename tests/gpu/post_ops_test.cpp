// Tests scale, residual and activation on a CUDA device: each configuration of each engine that
// computes a problem with post-ops must give right results, whether the engine computes the
// post-ops itself or a pass follows.
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "cuda_test.hpp"
#include "engines/registry.hpp"
#include "offers.hpp"
#include "support/problems.hpp"

namespace atc {
namespace {

class PostOpsOnDevice : public test::CudaTest {};

// Returns one set of post-ops for each activation. Some of them have a scale, some a residual.
std::vector<PostOps> all_post_ops() {
  std::vector<PostOps> all;
  for (const Function function :
       {Function::none, Function::relu, Function::clamp, Function::silu, Function::gelu,
        Function::gelu_tanh, Function::hard_swish, Function::sigmoid, Function::leaky_relu}) {
    Activation activation{function};
    if (function == Function::clamp) activation = {function, -0.5F, 6, 0};
    if (function == Function::leaky_relu) activation = {function, 0, 0, 0.125F};
    for (const bool residual : {false, true})
      for (const bool scale : {false, true})
        if (PostOps post_ops{scale, residual, activation}; post_ops.any()) all.push_back(post_ops);
  }
  return all;
}

struct Counts {
  std::size_t fused = 0, separate = 0, refused = 0;
};

// Checks the first offer with fused post-ops and the first offer with a pass. Counts the offers
// that were checked, and those that cuDNN could not build.
void check_first(const Engine& engine, const Problem& problem, Counts& counts) {
  const Limits limits = test::cuda_limits();
  std::string why_not;
  bool taken[2] = {false, false};
  for (const Offer& offer : engine.offers(problem, limits, why_not)) {
    const bool separate = offer.configuration.rfind("separate-epilogue ", 0) == 0;
    if (taken[separate]) continue;
    try {
      const auto prepared = engine.prepare(problem, limits, offer.configuration);
      const auto verdict = test::Trial(problem, limits).check(*prepared, offer.exactness);
      EXPECT_TRUE(verdict.passed) << engine.name() << ':' << offer.configuration << " ("
                                  << offer.notes << ") " << describe(problem) << ": "
                                  << verdict.reason;
      taken[separate] = true;
      ++(separate ? counts.separate : counts.fused);
    } catch (const Error& error) {
      if (error.status() != Status::unsupported) throw;
      ++counts.refused;
    }
  }
}

TEST_F(PostOpsOnDevice, TheFirstOffersOfEachEngineAreRight) {
  // Dense, pointwise, depthwise and grouped layers, with extents that are and are not multiples of
  // vectors.
  const std::vector<test::NetworkLayer> layers = {{4, 64, 28, 28, 64, 3, 3, 1, 1},
                                                  {2, 24, 13, 11, 40, 1, 1, 0, 0},
                                                  {2, 32, 15, 15, 32, 3, 3, 1, 1, 1, 32},
                                                  {2, 64, 14, 14, 64, 3, 3, 1, 1, 2, 8}};
  const std::vector<PostOps> all = all_post_ops();
  // Each layer in each form has every fifth set of post-ops, beginning with another one each time.
  constexpr std::size_t kEach = 5;
  std::size_t first = 0;
  std::map<std::string, Counts> counts;
  for (const test::NetworkLayer& layer : layers)
    for (Problem problem :
         test::forms_of(layer, {Direction::forward}, {Dtype::f32, Dtype::f16, Dtype::bf16},
                        {test::Memory::first, test::Memory::last})) {
      for (std::size_t i = first++ % kEach; i < all.size(); i += kEach) {
        problem.post_ops = all[i];
        // A bias and a ReLU alone are no post-ops.
        const bool is_relu =
            all[i].activation.function == Function::relu && !all[i].scale && !all[i].residual;
        problem.epilogue = i % 2 == 0 && !is_relu ? Epilogue::bias : Epilogue::none;
        for (const RegisteredEngine& one : EngineRegistry::instance().all())
          if (one.engine->serves(DeviceType::cuda))
            check_first(*one.engine, problem, counts[one.engine->name()]);
      }
    }
  for (const auto& [name, count] : counts)
    std::cout << name << ": " << count.fused << " fused, " << count.separate << " separate, "
              << count.refused << " not built\n";
  EXPECT_GT(counts["cudnn"].fused, 0u);
  EXPECT_GT(counts["cudnn"].separate, 0u);
  EXPECT_GT(counts["dense"].separate, 0u);
}

}  // namespace
}  // namespace atc
