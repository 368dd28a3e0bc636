// Tests atc's kernels for gradients of dense filters, for awkward extents and for layers of
// networks. Each configuration must give the reference's sums. An Inf in an operand must reach only
// the sums that contain it. Equal operands must give equal bits.
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

test::Spec spec_of(const test::NetworkLayer& layer, Dtype dtype) {
  test::Spec spec = test::spec_of(layer);
  spec.direction = Direction::backward_weight;
  spec.x = spec.w = spec.y = dtype;
  return spec;
}

class DenseWeight : public test::CudaTest {
 protected:
  void SetUp() override {
    CudaTest::SetUp();
    if (IsSkipped()) return;
    const test::Spec spec = spec_of({1, 16, 8, 8, 16, 3, 3, 1, 1}, Dtype::f32);
    std::string why_not;
    if (engine_->offers(test::build(spec), test::cuda_limits(), why_not).empty())
      GTEST_SKIP() << why_not;
  }

  std::shared_ptr<const Engine> engine_ = EngineRegistry::instance().find("dense");
};

using test::pick;

test::Spec draw(test::Random& random) {
  test::Spec spec;
  spec.direction = Direction::backward_weight;
  spec.batch = pick(random, {1, 2, 3, 5, 7, 17});
  spec.channels_in = pick(random, {16, 17, 19, 35, 64, 67, 128});
  spec.channels_out = pick(random, {16, 23, 37, 64, 67, 130});
  const std::int64_t stride = pick(random, {1, 1, 2});
  for (std::size_t d = 0; d < 2; ++d) {
    spec.in[d] = pick(random, {1, 2, 5, 7, 8, 13, 14, 16, 28, 33, 56, 101, 130});
    spec.kernel[d] = pick(random, {1, 2, 3, 3, 3, 4, 5, 7});
    spec.pad_low[d] = pick(random, {0, 1, 1, 2, 3});
    spec.pad_high[d] = pick(random, {0, 1, 1, 2, 4});
    spec.dilation[d] = stride == 2 && d == 0 ? 1 : pick(random, {1, 1, 1, 2, 3});
    spec.stride[d] = stride;
  }
  spec.x = spec.w = spec.y = static_cast<Dtype>(pick(random, {1, 2, 3}));
  spec.w_memory = random() % 4 == 0   ? test::Memory::strided
                  : random() % 4 == 0 ? test::Memory::last
                                      : test::Memory::first;
  spec.accumulate = random() % 4 == 0;
  return spec;
}

TEST_F(DenseWeight, IsRightAtAwkwardExtents) {
  test::Random random(1);
  test::Tally tally;
  while (tally.problems < 120) {
    const test::Spec spec = draw(random);
    if (!test::is_possible(spec)) continue;
    const Problem problem = test::build(spec);
    if (problem.kernel(0) * problem.kernel(1) == 1) continue;
    const Limits limits = test::cuda_limits(pick(random, {4, 16, 16, 16}));
    const test::Checked checked = test::check_offers(*engine_, problem, limits);
    EXPECT_GT(checked.passed, 0u) << test::label(problem) << ": " << checked.why_not;
    tally.add(checked);
  }
  std::cout << tally;
}

TEST_F(DenseWeight, IsRightForLayersOfNetworks) {
  constexpr test::NetworkLayer kLayers[] = {
      {64, 64, 56, 56, 64, 3, 3, 1, 1},  // ResNet-50
      {64, 128, 56, 56, 128, 3, 3, 1, 1, 2},
      {64, 256, 14, 14, 256, 3, 3, 1, 1},
      {64, 512, 7, 7, 512, 3, 3, 1, 1},
      {32, 64, 224, 224, 64, 3, 3, 1, 1},  // VGG
      {32, 512, 28, 28, 512, 3, 3, 1, 1},
      {4, 128, 256, 256, 128, 3, 3, 1, 1},  // U-Net
      {4, 512, 64, 64, 512, 3, 3, 1, 1},
      {2, 320, 64, 64, 320, 3, 3, 1, 1},  // Stable Diffusion
      {8, 256, 64, 64, 256, 3, 3, 2, 2, 1, 1, 2},
      {3, 35, 61, 61, 67, 3, 3, 0, 0},
      {5, 19, 101, 101, 37, 5, 5, 2, 2, 2},
  };
  for (const test::NetworkLayer& layer : kLayers)
    for (const Dtype dtype : {Dtype::f32, Dtype::f16, Dtype::bf16}) {
      const Problem problem = test::build(spec_of(layer, dtype));
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

TEST_F(DenseWeight, AnInfReachesTheElementsItTakesPartIn) {
  for (const test::NetworkLayer& layer : {test::NetworkLayer{2, 16, 9, 13, 24, 3, 3, 1, 1},
                                          test::NetworkLayer{3, 17, 10, 12, 16, 3, 3, 1, 1, 2},
                                          test::NetworkLayer{2, 16, 8, 8, 16, 5, 5, 2, 2}})
    for (const Dtype dtype : {Dtype::f32, Dtype::f16})
      for (const bool in_x : {true, false}) {
        const Problem problem = test::build(spec_of(layer, dtype));
        EXPECT_GT(test::expect_as_direct(*engine_, problem, test::cuda_limits(),
                                         [&](Operands& host) {
                                           test::put_infinities(in_x ? problem.x : problem.y,
                                                                in_x ? host.x : host.y);
                                         }),
                  0u);
      }
}

TEST_F(DenseWeight, KnowsNoOtherConfigurations) {
  const Problem problem = test::build(spec_of({2, 16, 8, 8, 16, 3, 3, 1, 1}, Dtype::f32));
  for (const char* const text :
       {"", "wgmma", "wgmma_bw_u2_g1_d2", "wgmma_bw_u3_g1_d2_s1", "wgmma_bw_u2_g3_d2_s1",
        "wgmma_bw_u2_g1_d1_s1", "wgmma_bw_u2_g1_d2_s0", "wgmma_bw_u02_g1_d2_s1"})
    EXPECT_THROW(engine_->prepare(problem, test::cuda_limits(), text), Error) << text;
}

}  // namespace
}  // namespace atc
