// Tests atc's kernels for pointwise convolutions, for awkward extents and for layers of networks.
// Each configuration must give the reference's results. An Inf in an operand must reach only the
// outputs that depend on it. Equal operands must give equal bits.
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "cuda_test.hpp"
#include "engines/registry.hpp"
#include "offers.hpp"
#include "support/problems.hpp"

namespace atc {
namespace {

test::Spec spec_of(const test::NetworkLayer& layer, Direction direction, Dtype dtype) {
  test::Spec spec = test::spec_of(layer);
  spec.direction = direction;
  spec.x = spec.w = spec.y = dtype;
  return spec;
}

class DensePointwise : public test::CudaTest {
 protected:
  void SetUp() override {
    CudaTest::SetUp();
    if (IsSkipped()) return;
    const test::Spec spec =
        spec_of({1, 16, 8, 8, 16, 1, 1, 0, 0}, Direction::backward_weight, Dtype::f32);
    std::string why_not;
    if (engine_->offers(test::build(spec), test::cuda_limits(), why_not).empty())
      GTEST_SKIP() << why_not;
  }

  std::shared_ptr<const Engine> engine_ = EngineRegistry::instance().find("dense");
};

using test::pick;

test::Spec draw(test::Random& random) {
  test::Spec spec;
  spec.spatial = static_cast<int>(pick(random, {1, 2, 2, 3}));
  spec.direction = static_cast<Direction>(pick(random, {1, 2, 3, 3}));
  spec.batch = pick(random, {1, 2, 3, 5, 17});
  spec.channels_in = pick(random, {16, 24, 40, 64, 136, 264});
  spec.channels_out = pick(random, {16, 24, 72, 128, 200});
  spec.kernel = {1, 1, 1};
  for (std::int64_t& extent : spec.in) extent = pick(random, {1, 2, 4, 5, 7, 8, 13, 14, 28});
  spec.x = spec.w = spec.y = static_cast<Dtype>(pick(random, {1, 1, 2, 3}));
  spec.w_memory = random() % 4 == 0 ? test::Memory::strided : test::Memory::first;
  if (spec.direction == Direction::forward)
    spec.epilogue = static_cast<Epilogue>(pick(random, {1, 2, 3}));
  spec.accumulate = random() % 4 == 0;
  return spec;
}

TEST_F(DensePointwise, IsRightAtAwkwardExtents) {
  test::Random random(1);
  test::Tally tally;
  while (tally.problems < 200) {
    const Problem problem = test::build(draw(random));
    const test::Checked checked = test::check_offers(*engine_, problem, test::cuda_limits());
    const std::int64_t pixels = problem.x.strides[1];
    if (pixels % 4 == 0
            ? problem.direction == Direction::backward_weight || problem.x.dtype == Dtype::f32
            : problem.direction == Direction::backward_weight && problem.x.dtype == Dtype::f32) {
      EXPECT_GT(checked.passed, 0u) << test::label(problem) << ": " << checked.why_not;
    }
    tally.add(checked);
  }
  std::cout << tally;
}

TEST_F(DensePointwise, IsRightForLayersOfNetworks) {
  constexpr test::NetworkLayer kLayers[] = {
      {64, 64, 56, 56, 256, 1, 1, 0, 0},  // ResNet-50
      {64, 512, 28, 28, 128, 1, 1, 0, 0}, {64, 1024, 14, 14, 256, 1, 1, 0, 0},
      {64, 2048, 7, 7, 512, 1, 1, 0, 0},  {64, 24, 56, 56, 144, 1, 1, 0, 0},  // EfficientNet-B0
      {64, 672, 14, 14, 112, 1, 1, 0, 0},
  };
  for (const test::NetworkLayer& layer : kLayers)
    for (const Direction direction :
         {Direction::forward, Direction::backward_data, Direction::backward_weight})
      for (const Dtype dtype : {Dtype::f32, Dtype::f16, Dtype::bf16}) {
        const bool weights = direction == Direction::backward_weight;
        if (layer.height == 7 ? !weights || dtype != Dtype::f32 : !weights && dtype != Dtype::f32)
          continue;  // the engine offers no configuration for this problem
        const Problem problem = test::build(spec_of(layer, direction, dtype));
        std::cout << test::label(problem) << "\n";
        test::Checks checks;
        checks.also = [&](const Offer& offer, Prepared& prepared, test::Trial& trial) {
          trial.expect_repeats(prepared, offer.configuration);
          const double seconds = trial.time(prepared, 1, 8, 4);
          std::cout << "  " << offer.configuration << " " << seconds * 1e6 << " us, "
                    << problem.flops() / seconds * 1e-12 << " TFLOP/s\n";
        };
        test::check_served(*engine_, {problem}, test::cuda_limits(), checks);
      }
}

// A chunk is 16 bytes of K, the dimension over which the kernels sum. If K is not a multiple of a
// chunk, the kernels fill the last chunk with zeros. If an Inf were multiplied by such a zero,
// other outputs would be NaN.
TEST_F(DensePointwise, AnInfReachesTheElementsItTakesPartIn) {
  for (const test::NetworkLayer& layer : {test::NetworkLayer{2, 16, 7, 7, 24, 1, 1, 0, 0},
                                          test::NetworkLayer{3, 40, 6, 6, 16, 1, 1, 0, 0},
                                          test::NetworkLayer{2, 16, 4, 25, 136, 1, 1, 0, 0}})
    for (const Direction direction :
         {Direction::forward, Direction::backward_data, Direction::backward_weight})
      for (const Dtype dtype : {Dtype::f32, Dtype::f16}) {
        const Problem problem = test::build(spec_of(layer, direction, dtype));
        const bool weights = direction == Direction::backward_weight;
        if (layer.height == 7 ? !weights || dtype != Dtype::f32 : !weights && dtype != Dtype::f32)
          continue;  // the engine offers no configuration for this problem
        const Tensor& first = weights || direction == Direction::forward ? problem.x : problem.y;
        const Tensor& second = weights ? problem.y : problem.w;
        for (const bool in_first : {true, false})
          EXPECT_GT(test::expect_as_direct(*engine_, problem, test::cuda_limits(),
                                           [&](Operands& host) {
                                             const Tensor& tensor = in_first ? first : second;
                                             void* const data = &tensor == &problem.x   ? host.x
                                                                : &tensor == &problem.y ? host.y
                                                                                        : host.w;
                                             test::put_infinities(tensor, data);
                                           }),
                    0u);
      }
}

TEST_F(DensePointwise, KnowsNoOtherConfigurations) {
  const Problem weights =
      test::build(spec_of({2, 16, 8, 8, 16, 1, 1, 0, 0}, Direction::backward_weight, Dtype::f32));
  for (const char* const text :
       {"", "pointwise_bw_256x128_c2", "pointwise_bw_192x128_c1_s1", "pointwise_bw_128x64_c2_s1",
        "pointwise_bw_128x64_c1_s0", "pointwise_bw_128x64_c1_s5", "pointwise_bw_128x64_c1_s01"})
    EXPECT_THROW(engine_->prepare(weights, test::cuda_limits(), text), Error) << text;
  const Problem forward =
      test::build(spec_of({2, 16, 8, 8, 16, 1, 1, 0, 0}, Direction::forward, Dtype::f32));
  for (const char* const text : {"", "pointwise_256", "pointwise_64x64", "tile_128x256_s1"})
    EXPECT_THROW(engine_->prepare(forward, test::cuda_limits(), text), Error) << text;
}

}  // namespace
}  // namespace atc
