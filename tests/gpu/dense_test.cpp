// Tests the engine dense. Each configuration that it offers must give right results, for awkward
// extents and for layers of networks.
#include <array>
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

class Dense : public test::CudaTest {
 protected:
  std::shared_ptr<const Engine> engine_ = EngineRegistry::instance().find("dense");
};

using test::pick;

// Draws a random problem that the engine supports.
test::Spec draw(test::Random& random) {
  test::Spec spec;
  spec.direction = random() % 2 == 0 ? Direction::forward : Direction::backward_data;
  spec.spatial = random() % 5 == 0 ? 1 : 2;
  spec.batch = pick(random, {1, 2, 3, 5, 17});
  spec.channels_in = pick(random, {5, 8, 13, 16, 19, 35, 48, 64, 67, 96, 130});
  spec.channels_out = pick(random, {5, 8, 16, 37, 40, 64, 67, 128, 131, 200});
  for (std::size_t d = 0; d < 2; ++d) {
    spec.in[d] = pick(random, {1, 2, 3, 5, 7, 8, 14, 16, 23, 31, 56, 61});
    spec.kernel[d] = pick(random, {1, 2, 3, 3, 3, 4, 5});
    spec.pad_low[d] = pick(random, {0, 1, 1, 2, 3});
    spec.pad_high[d] = pick(random, {0, 1, 1, 2, 4});
    spec.dilation[d] = pick(random, {1, 1, 1, 2, 3});
  }
  spec.x = spec.w = spec.y = random() % 2 == 0 ? Dtype::f16 : Dtype::bf16;
  spec.w_memory = random() % 4 == 0 ? test::Memory::strided : test::Memory::first;
  spec.epilogue = static_cast<Epilogue>(1 + random() % 3);
  spec.accumulate = random() % 3 == 0;
  return spec;
}

TEST_F(Dense, IsRightAtAwkwardExtents) {
  test::Random random(1);
  test::Tally tally;
  while (tally.problems < 400 && !HasFailure()) {
    const test::Spec spec = draw(random);
    const bool pointwise = spec.kernel[0] == 1 && (spec.spatial == 1 || spec.kernel[1] == 1);
    if (pointwise || !test::is_possible(spec)) continue;
    const Limits limits = test::cuda_limits(pick(random, {2, 16}), false);
    const test::Checks checks{conv::Apart::unasked, random() % 4 == 0};
    const Problem problem = test::build(spec);
    const test::Checked checked = test::check_offers(*engine_, problem, limits, checks);
    EXPECT_GT(checked.passed, 0u) << test::label(problem) << ": " << checked.why_not;
    tally.add(checked);
  }
  std::cout << tally;
}

// The generated grid has problems of all kinds. For each problem, the configurations that the
// engine offers must give right results, or the engine must give a reason why it offers none.
TEST_F(Dense, OffersNothingWrongOnTheGrid) { std::cout << test::check_grid(*engine_); }

TEST_F(Dense, IsRightForLayersOfNetworks) {
  constexpr std::array kLayers{
      test::NetworkLayer{16, 64, 56, 56, 64, 3, 3, 1, 1},  // ResNet-50
      test::NetworkLayer{64, 512, 7, 7, 512, 3, 3, 1, 1},
      test::NetworkLayer{4, 64, 224, 224, 64, 3, 3, 1, 1},  // VGG
      test::NetworkLayer{2, 320, 64, 64, 320, 3, 3, 1, 1},  // Stable Diffusion
      test::NetworkLayer{1, 128, 512, 512, 128, 3, 3, 1, 1},
      test::NetworkLayer{4, 256, 64, 64, 256, 3, 3, 2, 2, 1, 1, 2},  // DeepLab
      test::NetworkLayer{8, 512, 1, 8000, 512, 1, 3, 0, 1},          // a network for speech
      test::NetworkLayer{3, 35, 61, 61, 67, 3, 3, 1, 1},
  };
  for (const test::NetworkLayer& layer : kLayers)
    std::cout << test::check_served(
        *engine_,
        test::forms_of(layer, {Direction::forward, Direction::backward_data},
                       {Dtype::f16, Dtype::bf16}, {test::Memory::first}),
        test::cuda_limits(16, false));
}

TEST_F(Dense, KnowsNoOtherConfigurations) {
  test::Spec spec;
  spec.channels_in = spec.channels_out = 32;
  spec.x = spec.w = spec.y = Dtype::f16;
  const Problem problem = test::build(spec);
  const Limits limits = test::cuda_limits(1);
  for (const char* const text : {"", "tile", "tile_128x256", "tile_128x256_s0", "tile_128x256_s9",
                                 "tile_64x64_s1", "tile_128x256_s1_c3", "tile_128x256_s1_r2",
                                 "tile_128x256_s1_c2_r2", "tile_128x256_s1_s1", "tile_0128x256_s1"})
    EXPECT_THROW(engine_->prepare(problem, limits, text), Error) << text;
}

}  // namespace
}  // namespace atc
