// Tests the engine grouped, for groups of awkward extents and for layers of networks. Each
// configuration that it offers must give right results.
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

class Grouped : public test::CudaTest {
 protected:
  std::shared_ptr<const Engine> engine_ = EngineRegistry::instance().find("grouped");
};

using test::pick;

// Draws a random problem that the engine supports.
test::Spec draw(test::Random& random) {
  test::Spec spec;
  spec.direction = static_cast<Direction>(1 + random() % 3);
  spec.spatial = random() % 5 == 0 ? 1 : 2;
  spec.batch = pick(random, {1, 2, 3, 5});
  spec.groups = pick(random, {2, 3, 4, 5, 8, 9, 16, 32});
  const bool whole = random() % 2 == 0;
  spec.channels_in = spec.groups * (whole ? pick(random, {8, 8, 16, 24, 32, 48, 112})
                                          : pick(random, {2, 3, 4, 12, 20, 30}));
  spec.channels_out = spec.groups * (whole ? pick(random, {8, 8, 16, 24, 32, 48, 112})
                                           : pick(random, {2, 4, 5, 12, 24, 30}));
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

TEST_F(Grouped, IsRightForGroups) {
  test::Random random(1);
  test::Tally tally;
  while (tally.problems < 300) {
    const test::Spec spec = draw(random);
    if (!test::is_possible(spec)) continue;
    const test::Checks checks{conv::Apart::unasked, random() % 4 == 0};
    tally.add(test::check_offers(*engine_, test::build(spec), test::cuda_limits(), checks));
  }
  std::cout << tally;
  EXPECT_LT(tally.unserved, tally.problems / 2);
}

// The generated grid has problems of all kinds. For each problem, the configurations that the
// engine offers must give right results, or the engine must give a reason why it offers none.
TEST_F(Grouped, OffersNothingWrongOnTheGrid) {
  const test::Tally tally = test::check_grid(*engine_);
  std::cout << tally;
  EXPECT_GT(tally.passed, 0u);
}

TEST_F(Grouped, IsRightForLayersOfNetworks) {
  constexpr std::array kLayers{
      test::NetworkLayer{16, 256, 28, 28, 256, 3, 3, 1, 1, 1, 32},  // ResNeXt-50
      test::NetworkLayer{16, 512, 28, 28, 512, 3, 3, 1, 1, 2, 32},
      test::NetworkLayer{16, 1024, 7, 7, 1024, 3, 3, 1, 1, 1, 32},
      test::NetworkLayer{8, 128, 56, 56, 128, 3, 3, 1, 1, 1, 16},
      test::NetworkLayer{8, 576, 14, 14, 576, 3, 3, 1, 1, 1, 24},  // RegNetY
      test::NetworkLayer{8, 576, 28, 28, 576, 3, 3, 1, 1, 2, 24},
  };
  for (const test::NetworkLayer& layer : kLayers)
    std::cout << test::check_served(*engine_, test::forms_of(layer), test::cuda_limits());
}

TEST_F(Grouped, KnowsNoOtherConfigurations) {
  test::Spec spec;
  spec.groups = 4;
  spec.channels_in = spec.channels_out = 32;
  const Problem problem = test::build(spec);
  const Limits limits = test::cuda_limits(1);
  for (const char* const text :
       {"", "stream", "stream_4x1_g4_5x5", "stream_4x1_g3_5x5_b2", "stream_4x2_g4_5x5_b2",
        "stream_4x1_g4_6x5_b2", "stream_4x1_g4_5x5_b9", "stream_04x1_g4_5x5_b2",
        "gradient_5x1_g4_5x5_s1"})
    EXPECT_THROW(engine_->prepare(problem, limits, text), Error) << text;
}

}  // namespace
}  // namespace atc
