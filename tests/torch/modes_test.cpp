// Tests modes of LibTorch that change the operands of a convolution: autocast, inference mode, vmap
// and traced graphs. In each mode atc must compute the convolution, because records choose an
// engine of atc.
#include <ATen/Functions.h>
#include <ATen/functorch/BatchedTensorImpl.h>
#include <ATen/functorch/DynamicLayer.h>
#include <c10/core/InferenceMode.h>
#include <gtest/gtest.h>
#include <torch/csrc/jit/frontend/tracer.h>
#include <torch/csrc/jit/runtime/graph_executor.h>

#include "atc/settings.h"
#include "support/autocast.hpp"
#include "support/bridge.hpp"
#include "support/derivatives.hpp"
#include "support/records.hpp"

namespace {

using namespace atc_torch_test;

Case example() {
  Case c;
  c.batch = 2;
  c.in = 4;
  c.out = 6;
  c.input = {8, 8};
  c.kernel = {3, 3};
  c.stride = c.dilation = c.padding = {1, 1};
  c.output_padding = {0, 0};
  c.bias = true;
  c.seed = 7;
  return c;
}

class Modes : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_DONE(atc_torch_init());
    ASSERT_DONE(atc_set_benchmark_technique(ATC_TECHNIQUE_ONCE));
  }
  void TearDown() override { EXPECT_DONE(atc_torch_uninstall()); }

  // Calls `run` twice. The first call tunes. Then the records are changed so that they choose
  // oneDNN. The second call, in which atc must run this choice, gives the result.
  template <typename Run>
  auto taken(const Run& run) {
    install(true);
    run();
    EXPECT_GT(records_.prefer("onednn"), 0u);
    records_.use(ATC_STORE_REPLAY_ONLY);
    install(false);
    EXPECT_DONE(atc_torch_statistics_reset());
    auto result = run();
    EXPECT_GT(counted().taken, 0u);
    EXPECT_EQ(passed_in_all(counted()), 0u);
    EXPECT_DONE(atc_torch_uninstall());
    return result;
  }

  Records records_;
};

TEST_F(Modes, AutocastConvolvesInItsDtype) {
  Case c = example();
  c.dtype = at::kBFloat16;
  const AutocastLayer layer(c);
  const Derivatives plain = layer.run();
  ASSERT_EQ(plain[kY].scalar_type(), at::kBFloat16);
  install(true);
  layer.run();
  const bool has_bf16 = records_.prefer("onednn") > 0;
  if (!has_bf16) GTEST_SKIP() << "oneDNN has no bf16 convolution for this CPU";
  layer.expect_right(taken([&] { return layer.run(); }), plain);
}

TEST_F(Modes, InferenceModeConvolves) {
  const Case c = example();
  const Operands operands = make_operands(c);
  const Exact exact(c, operands);
  const auto run = [&] {
    const c10::InferenceMode guard;
    return of_libtorch(c, operands.x.clone(), operands.w.clone(), operands.bias.clone());
  };
  const at::Tensor plain = run(), got = taken(run);
  EXPECT_TRUE(got.is_inference());
  EXPECT_EQ(compare_layout(got, plain), "");
  EXPECT_EQ(exact.compare(kY, got), "");
}

// Adds a level of functorch's interpreter while an object of this class exists, as torch.vmap does.
class Level {
 public:
  explicit Level(std::int64_t batch)
      : level_(at::functorch::initAndPushDynamicLayer(at::functorch::TransformType::Vmap,
                                                      c10::SymInt(batch),
                                                      at::functorch::RandomnessType::Error)) {}
  ~Level() { at::functorch::popDynamicLayerAndDeleteMetadata(); }
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;

  at::Tensor wrap(const at::Tensor& batched) const {
    return at::functorch::makeBatched(batched, 0, level_);
  }

 private:
  const std::int64_t level_;
};

at::Tensor map_over(const at::Tensor& batched, const Case& c, const Operands& operands) {
  const Level level(batched.size(0));
  const at::Tensor y = of_libtorch(c, level.wrap(batched), operands.w, operands.bias);
  const auto* const wrapped = at::functorch::maybeGetBatchedImpl(y);
  return wrapped->value().movedim(wrapped->bdim(), 0);
}

TEST_F(Modes, MappedConvolutionsConvolve) {
  const Case c = example();
  const Operands operands = make_operands(c);
  const at::Tensor batched = at::stack({operands.x, operands.x.neg(), operands.x.mul(0.5)});
  const auto run = [&] { return map_over(batched, c, operands); };
  const at::Tensor plain = run(), got = taken(run);
  EXPECT_EQ(compare_layout(got, plain), "");
  for (std::int64_t i = 0; i < batched.size(0); ++i) {
    Operands one = operands;
    one.x = batched[i];
    EXPECT_EQ(Exact(c, one).compare(kY, got[i]), "") << "sample " << i;
  }
}

TEST_F(Modes, TracedGraphsConvolve) {
  const Case c = example();
  const Operands operands = make_operands(c);
  const Exact exact(c, operands);
  namespace jit = torch::jit;
  const auto traced = jit::tracer::trace(
      {operands.x, operands.w, operands.bias},
      [&](jit::Stack inputs) -> jit::Stack {
        return {of_libtorch(c, inputs[0].toTensor(), inputs[1].toTensor(), inputs[2].toTensor())};
      },
      [](const torch::autograd::Variable&) { return ""; });
  jit::GraphExecutor executor(traced.first->graph, "convolution");
  const auto run = [&] {
    jit::Stack stack{operands.x, operands.w, operands.bias};
    executor.run(stack);
    return stack.at(0).toTensor();
  };
  const at::Tensor plain = run(), got = taken(run);
  EXPECT_EQ(compare_layout(got, plain), "");
  EXPECT_EQ(exact.compare(kY, got), "");
}

}  // namespace
