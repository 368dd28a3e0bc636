// Engine dense: each of its offers gives right results, at awkward extents and for layers of
// networks.
#include <array>
#include <cstdint>
#include <iostream>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "conv/arena.hpp"
#include "conv/gate.hpp"
#include "conv/site.hpp"
#include "core/error.hpp"
#include "cuda_test.hpp"
#include "engines/registry.hpp"
#include "support/grid.hpp"
#include "support/problems.hpp"

namespace atc {
namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();

class Dense : public test::CudaTest {
 protected:
  // The offers that the gate let pass; each that it did not is a failure.
  std::size_t check(const Problem& problem, std::size_t alignment, bool constant_weights) {
    Limits limits;
    limits.alignment = alignment;
    limits.device = kDevice;
    limits.allow_tf32 = false;
    std::string why_not;
    const auto offers = engine_->offers(problem, limits, why_not);
    EXPECT_NE(offers.empty(), why_not.empty());
    if (offers.empty()) {
      why_not_ = why_not;
      return 0;
    }
    const auto site = conv::make_site(kDevice, nullptr);
    conv::Arena arena(problem, *site, 1);
    conv::Gate gate(problem, *site, arena.operands(0), false, 1);
    std::size_t passed = 0;
    for (const Offer& offer : offers) {
      const auto prepared = engine_->prepare(problem, limits, offer.configuration);
      EXPECT_EQ(prepared->workspace_size(), offer.workspace);
      arena.reserve_workspace(prepared->workspace_size());
      const auto verdict =
          gate.check(*prepared, arena.workspace(), offer.exactness, constant_weights, kEndless);
      EXPECT_TRUE(verdict.passed) << offer.configuration << " " << test::label(problem) << ": "
                                  << verdict.reason;
      passed += verdict.passed;
    }
    return passed;
  }

  std::shared_ptr<const Engine> engine_ = EngineRegistry::instance().find("dense");
  std::string why_not_;  // the latest
};

using Random = std::mt19937;

std::int64_t pick(Random& random, const std::vector<std::int64_t>& values) {
  return values[random() % values.size()];
}

// Of the kind that the engine is for.
test::Spec draw(Random& random) {
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
  Random random(1);
  std::size_t problems = 0, unserved = 0, passed = 0;
  while (problems < 400 && !HasFailure()) {
    const test::Spec spec = draw(random);
    const bool pointwise = spec.kernel[0] == 1 && (spec.spatial == 1 || spec.kernel[1] == 1);
    if (pointwise || !test::is_possible(spec)) continue;
    const std::size_t offers =
        check(test::build(spec), random() % 2 == 0 ? 2 : 16, random() % 4 == 0);
    EXPECT_GT(offers, 0u) << test::label(test::build(spec)) << ": " << why_not_;
    ++problems;
    unserved += offers == 0;
    passed += offers;
  }
  std::cout << problems << " problems, " << unserved << " unserved, " << passed << " passed\n";
}

// Whatever it offers elsewhere is right as well, or it says why it offers nothing.
TEST_F(Dense, OffersNothingWrongOnTheGrid) {
  std::size_t problems = 0, passed = 0;
  for (const Problem& problem : test::make_grid(1, 9).problems) {
    if (problem.batch() == 0) continue;
    ++problems;
    passed += check(problem, 16, false);
  }
  std::cout << problems << " problems, " << passed << " offers passed\n";
}

struct Layer {
  std::int64_t batch, channels_in, height, width, channels_out, rows, columns, pad_h, pad_w,
      dilation;
};

TEST_F(Dense, IsRightForLayersOfNetworks) {
  constexpr std::array kLayers{
      Layer{16, 64, 56, 56, 64, 3, 3, 1, 1, 1},   // ResNet-50
      Layer{64, 512, 7, 7, 512, 3, 3, 1, 1, 1},   //
      Layer{4, 64, 224, 224, 64, 3, 3, 1, 1, 1},  // VGG
      Layer{2, 320, 64, 64, 320, 3, 3, 1, 1, 1},  // Stable Diffusion
      Layer{1, 128, 512, 512, 128, 3, 3, 1, 1, 1},
      Layer{4, 256, 64, 64, 256, 3, 3, 2, 2, 2},   // DeepLab
      Layer{8, 512, 1, 8000, 512, 1, 3, 0, 1, 1},  // of speech
      Layer{3, 35, 61, 61, 67, 3, 3, 1, 1, 1},
  };
  std::size_t passed = 0;
  for (const Layer& layer : kLayers)
    for (const Direction direction : {Direction::forward, Direction::backward_data})
      for (const Dtype dtype : {Dtype::f16, Dtype::bf16}) {
        test::Spec spec;
        spec.direction = direction;
        spec.batch = layer.batch;
        spec.channels_in = layer.channels_in;
        spec.channels_out = layer.channels_out;
        spec.in = {layer.height, layer.width, 1};
        spec.kernel = {layer.rows, layer.columns, 1};
        spec.dilation = {layer.dilation, layer.dilation, 1};
        spec.pad_low = spec.pad_high = {layer.pad_h, layer.pad_w, 0};
        spec.x = spec.w = spec.y = dtype;
        const std::size_t offers = check(test::build(spec), 16, false);
        EXPECT_GT(offers, 0u) << test::label(test::build(spec)) << ": " << why_not_;
        passed += offers;
      }
  std::cout << passed << " offers passed\n";
}

TEST_F(Dense, KnowsNoOtherConfigurations) {
  test::Spec spec;
  spec.channels_in = spec.channels_out = 32;
  spec.x = spec.w = spec.y = Dtype::f16;
  const Problem problem = test::build(spec);
  Limits limits;
  limits.device = kDevice;
  for (const char* const text :
       {"", "tile", "tile_128x256", "tile_128x256_s0", "tile_128x256_s9", "tile_64x64_s1",
        "tile_128x256_s1_c2", "tile_128x256_s1_s1", "tile_0128x256_s1"})
    EXPECT_THROW(engine_->prepare(problem, limits, text), Error) << text;
}

}  // namespace
}  // namespace atc
