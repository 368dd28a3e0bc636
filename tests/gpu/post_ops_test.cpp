// Tests scale, residual and activation on a CUDA device: each configuration of each engine that
// computes a problem with post-ops must give right results, whether the engine computes the
// post-ops itself or a pass follows.
#include <iostream>
#include <string>
#include <vector>

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

TEST_F(PostOpsOnDevice, EachOfferOfEachEngineIsRight) {
  // Dense, depthwise and grouped layers, with extents that are and are not multiples of vectors.
  const std::vector<test::NetworkLayer> layers = {{4, 64, 28, 28, 64, 3, 3, 1, 1},
                                                  {2, 24, 13, 11, 40, 1, 1, 0, 0},
                                                  {2, 32, 15, 15, 32, 3, 3, 1, 1, 1, 32},
                                                  {2, 64, 14, 14, 64, 3, 3, 1, 1, 2, 8}};
  std::size_t turn = 0, fused = 0;
  test::Tally tally;
  for (const test::NetworkLayer& layer : layers)
    for (Problem problem :
         test::forms_of(layer, {Direction::forward}, {Dtype::f32, Dtype::f16, Dtype::bf16},
                        {test::Memory::first, test::Memory::last}))
      for (const PostOps& post_ops : all_post_ops()) {
        problem.post_ops = post_ops;
        // Every other problem has a bias. A ReLU alone behind a bias is no post-op.
        const bool is_bias_relu =
            post_ops.activation.function == Function::relu && !post_ops.scale && !post_ops.residual;
        problem.epilogue = turn++ % 2 == 0 && !is_bias_relu ? Epilogue::bias : Epilogue::none;
        for (const RegisteredEngine& registered : EngineRegistry::instance().all()) {
          const Engine& engine = *registered.engine;
          if (!engine.serves(DeviceType::cuda)) continue;
          std::string why_not;
          const Limits limits = test::cuda_limits();
          std::vector<Offer> offers = engine.first_offers(problem, limits, 4, why_not);
          // The offers of each kind that come first, so that the test ends in time.
          std::vector<Offer> some;
          std::size_t taken[2] = {0, 0};
          for (Offer& offer : offers) {
            const bool separate = offer.configuration.rfind("separate-epilogue ", 0) == 0;
            if (taken[separate]++ >= (turn % 8 == 0 ? 2u : 1u)) continue;
            if (!separate && engine.name() == "cudnn") ++fused;
            some.push_back(std::move(offer));
          }
          tally.problems += 1;
          tally.offers += some.size();
          tally.passed += test::check_each(engine, problem, limits, some);
        }
      }
  std::cout << tally << fused << " offers of cuDNN with fused post-ops\n";
  EXPECT_GT(tally.passed, 0u);
  EXPECT_EQ(tally.passed, tally.offers);
  EXPECT_GT(fused, 0u);
}

}  // namespace
}  // namespace atc
