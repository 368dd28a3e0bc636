// Tests the engine implicit, for grouped layers and first layers of awkward extents and for layers
// of networks. Each configuration that it offers must give right results.
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

class Implicit : public test::CudaTest {
 protected:
  std::shared_ptr<const Engine> engine_ = EngineRegistry::instance().find("implicit");
};

using test::pick;

// Draws a random problem that the engine supports.
test::Spec draw(test::Random& random) {
  test::Spec spec;
  spec.direction = static_cast<Direction>(1 + random() % 3);
  spec.spatial = random() % 5 == 0 ? 1 : 2;
  spec.batch = pick(random, {1, 2, 3, 5});
  if (random() % 3 == 0) {
    spec.channels_in = pick(random, {1, 2, 3, 3, 4});
    spec.channels_out = pick(random, {5, 16, 24, 32, 64, 67, 96, 200});
  } else {
    spec.groups = pick(random, {2, 3, 4, 5, 8, 9, 16, 32});
    spec.channels_in = spec.groups * pick(random, {2, 3, 4, 8, 8, 12, 16, 24, 32, 40, 112});
    spec.channels_out = spec.groups * pick(random, {2, 4, 5, 8, 8, 16, 24, 30, 32, 56, 112});
  }
  const std::int64_t stride = pick(random, {1, 1, 2, 2, 3, 4});
  for (std::size_t d = 0; d < 2; ++d) {
    spec.in[d] = pick(random, {1, 2, 5, 7, 8, 11, 14, 16, 23, 28, 33, 56});
    spec.kernel[d] = pick(random, {1, 2, 3, 3, 3, 4, 5, 7, 11});
    spec.pad_low[d] = pick(random, {0, 1, 1, 2, 3});
    spec.pad_high[d] = pick(random, {0, 1, 1, 2, 4});
    spec.dilation[d] = pick(random, {1, 1, 1, 2, 3});
    spec.stride[d] = stride;
  }
  spec.x = spec.w = spec.y = static_cast<Dtype>(pick(random, {1, 2, 3}));
  spec.x_memory = spec.y_memory = random() % 2 == 0 ? test::Memory::first : test::Memory::last;
  spec.w_memory = random() % 4 == 0 ? test::Memory::strided : spec.x_memory;
  if (spec.direction != Direction::backward_weight)
    spec.epilogue = static_cast<Epilogue>(1 + random() % 3);
  return spec;
}

TEST_F(Implicit, IsRightForGroupsAndFirstLayers) {
  test::Random random(1);
  test::Tally tally;
  while (tally.problems < 400) {
    const test::Spec spec = draw(random);
    if (!test::is_possible(spec)) continue;
    const Limits limits = test::cuda_limits(pick(random, {4, 16, 16, 16}), random() % 2 == 0);
    const test::Checks checks{conv::Apart::unasked, random() % 4 == 0};
    tally.add(test::check_offers(*engine_, test::build(spec), limits, checks));
  }
  std::cout << tally;
  EXPECT_LT(tally.unserved, tally.problems / 20);
}

// The generated grid has problems of all kinds. For each problem, the configurations that the
// engine offers must give right results, or the engine must give a reason why it offers none.
TEST_F(Implicit, OffersNothingWrongOnTheGrid) {
  const test::Tally tally = test::check_grid(*engine_);
  std::cout << tally;
  EXPECT_GT(tally.passed, 0u);
}

TEST_F(Implicit, IsRightForLayersOfNetworks) {
  constexpr std::array kLayers{
      test::NetworkLayer{16, 3, 224, 224, 64, 7, 7, 3, 3, 2, 1},    // ResNet-50
      test::NetworkLayer{8, 3, 224, 224, 64, 3, 3, 0, 0, 1, 1},     // VGG
      test::NetworkLayer{8, 3, 300, 300, 24, 3, 3, 1, 1, 2, 1},     // EfficientNetV2
      test::NetworkLayer{16, 256, 28, 28, 256, 3, 3, 1, 1, 1, 32},  // ResNeXt-50
      test::NetworkLayer{16, 512, 28, 28, 512, 3, 3, 1, 1, 2, 32},
      test::NetworkLayer{16, 1024, 7, 7, 1024, 3, 3, 1, 1, 1, 32},
      test::NetworkLayer{8, 448, 28, 28, 448, 3, 3, 1, 1, 1, 4},  // RegNetY
      test::NetworkLayer{8, 576, 28, 28, 576, 3, 3, 1, 1, 2, 24},
      test::NetworkLayer{8, 512, 1, 400, 512, 1, 64, 0, 32, 1, 8},  // a network for speech
  };
  for (const test::NetworkLayer& layer : kLayers)
    std::cout << test::check_served(*engine_, test::forms_of(layer), test::cuda_limits());
}

TEST_F(Implicit, KnowsNoOtherConfigurations) {
  test::Spec spec;
  spec.groups = 4;
  spec.channels_in = spec.channels_out = 32;
  const Problem problem = test::build(spec);
  const Limits limits = test::cuda_limits(1);
  for (const char* const text :
       {"", "tile", "tile_8x1_g4", "tile_8x1_g4_5x5x5", "tile_8x1_g3_5x5", "tile_8x2_g4_5x5",
        "tile_8x1_g4_6x5", "tile_8x1_g4_5x5_s2", "tile_08x1_g4_5x5", "raster", "raster_1x64_t1_5x5",
        "raster_1x32_t1_5x5_s2"})
    EXPECT_THROW(engine_->prepare(problem, limits, text), Error) << text;
}

}  // namespace
}  // namespace atc
