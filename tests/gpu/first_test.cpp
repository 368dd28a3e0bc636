// Tests the engine first, for first layers of awkward extents and for first layers of networks.
// Each configuration that it offers must give right results.
#include <array>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/half.hpp"
#include "cuda_test.hpp"
#include "engines/registry.hpp"
#include "offers.hpp"
#include "support/problems.hpp"

namespace atc {
namespace {

class First : public test::CudaTest {
 protected:
  std::shared_ptr<const Engine> engine_ = EngineRegistry::instance().find("first");
};

using test::pick;

// Draws a random problem that the engine supports.
test::Spec draw(test::Random& random) {
  test::Spec spec;
  spec.direction = static_cast<Direction>(1 + random() % 3);
  spec.spatial = random() % 5 == 0 ? 1 : 2;
  spec.batch = pick(random, {1, 2, 3, 5});
  spec.channels_in = pick(random, {1, 2, 3, 3, 3, 4});
  spec.channels_out = pick(random, {1, 5, 16, 24, 32, 33, 64, 67, 96, 200});
  const std::int64_t stride = pick(random, {1, 1, 2, 2, 3, 4});
  for (std::size_t d = 0; d < 2; ++d) {
    spec.in[d] = pick(random, {1, 2, 5, 7, 8, 11, 14, 16, 23, 28, 33, 56, 75, 130});
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

TEST_F(First, IsRightForAwkwardExtents) {
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
  // At most two problems have no offer. The windows of these problems have many taps that lie far
  // apart.
  EXPECT_LE(tally.unserved, 2u);
}

// The generated grid has problems of all kinds. For each problem, the configurations that the
// engine offers must give right results, or the engine must give a reason why it offers none.
TEST_F(First, OffersNothingWrongOnTheGrid) {
  const test::Tally tally = test::check_grid(*engine_);
  std::cout << tally;
  EXPECT_GT(tally.passed, 0u);
}

TEST_F(First, IsRightForLayersOfNetworks) {
  constexpr std::array kLayers{
      test::NetworkLayer{16, 3, 224, 224, 64, 7, 7, 3, 3, 2},   // ResNet-50
      test::NetworkLayer{8, 3, 224, 224, 64, 3, 3, 0, 0, 1},    // VGG
      test::NetworkLayer{8, 3, 300, 300, 24, 3, 3, 1, 1, 2},    // EfficientNetV2
      test::NetworkLayer{8, 3, 227, 227, 96, 11, 11, 2, 2, 4},  // AlexNet
      test::NetworkLayer{2, 1, 512, 1031, 64, 3, 3, 1, 1, 1},   // U-Net of an odd width
      test::NetworkLayer{1, 4, 512, 2048, 32, 5, 5, 2, 2, 2},
  };
  for (const test::NetworkLayer& layer : kLayers)
    std::cout << test::check_served(*engine_, test::forms_of(layer), test::cuda_limits());
}

// Writes infinities into x (forward and backward-weight), or into dy and w (backward-data). They
// must reach only the outputs that depend on them.
TEST_F(First, AnInfReachesWhatItTakesPartIn) {
  std::size_t checked = 0;
  for (const int kernel : {3, 7})
    for (const std::int64_t stride : {1, 2})
      for (const auto memory : {test::Memory::first, test::Memory::last})
        for (const Dtype dtype : {Dtype::f32, Dtype::f16})
          for (const Direction direction :
               {Direction::forward, Direction::backward_data, Direction::backward_weight}) {
            test::Spec spec;
            spec.direction = direction;
            spec.channels_in = 3;
            spec.channels_out = 24;
            spec.in = {37, 40, 1};
            spec.kernel = {kernel, kernel, 1};
            spec.pad_low = spec.pad_high = {1, kernel / 2, 0};
            spec.stride = {stride, stride, 1};
            spec.x = spec.w = spec.y = dtype;
            spec.x_memory = spec.w_memory = spec.y_memory = memory;
            const Problem problem = test::build(spec);
            const bool back = direction == Direction::backward_data;
            checked +=
                test::expect_as_direct(*engine_, problem, test::cuda_limits(), [&](Operands& host) {
                  test::put_infinities(back ? problem.y : problem.x, back ? host.y : host.x);
                  if (back) store_element(host.w, dtype, 3, test::kEndless);
                });
          }
  EXPECT_GT(checked, 60u);
}

TEST_F(First, KnowsNoOtherConfigurations) {
  test::Spec spec;
  spec.channels_in = 3;
  spec.channels_out = 40;
  spec.in = {20, 20, 1};
  spec.kernel = {3, 3, 1};
  const Problem problem = test::build(spec);
  const Limits limits = test::cuda_limits(1);
  EXPECT_NO_THROW(engine_->prepare(problem, limits, "c64_t4x8_s1"));
  for (const char* const text :
       {"", "c64", "c64_p512", "c64_p100_s1", "c64_p1024_s1", "c48_p256_s1", "c64_p256_s3",
        "c64_p256_s1_n2", "c64_t8x21_s1", "c64_t08x8_s1", "c64_t8x8_s1_"})
    EXPECT_THROW(engine_->prepare(problem, limits, text), Error) << text;
}

}  // namespace
}  // namespace atc
