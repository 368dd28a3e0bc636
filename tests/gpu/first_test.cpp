// Engine first: each of its offers gives right results, over first layers of awkward extents and
// over those of networks.
#include <array>
#include <cmath>
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
#include "core/half.hpp"
#include "cuda_test.hpp"
#include "engines/reference/direct.hpp"
#include "engines/registry.hpp"
#include "support/grid.hpp"
#include "support/problems.hpp"

namespace atc {
namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();

class First : public test::CudaTest {
 protected:
  // The offers that the gate let pass; each that it did not is a failure.
  std::size_t check(const Problem& problem, std::size_t alignment, bool constant_weights,
                    bool allow_tf32) {
    Limits limits;
    limits.alignment = alignment;
    limits.allow_tf32 = allow_tf32;
    limits.device = kDevice;
    std::string why_not;
    constant_weights = constant_weights && problem.direction != Direction::backward_weight;
    const auto offers = engine_->offers(problem, limits, why_not);
    EXPECT_NE(offers.empty(), why_not.empty());
    if (offers.empty()) return 0;
    const auto site = conv::make_site(kDevice, nullptr);
    conv::Arena arena(problem, *site, 1);
    conv::Gate gate(problem, *site, arena.operands(0), limits.allow_tf32, 1);
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

  std::shared_ptr<const Engine> engine_ = EngineRegistry::instance().find("first");
};

using Random = std::mt19937;

std::int64_t pick(Random& random, const std::vector<std::int64_t>& values) {
  return values[random() % values.size()];
}

// Of the kind that the engine is for.
test::Spec draw(Random& random) {
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
  Random random(1);
  std::size_t problems = 0, unserved = 0, passed = 0;
  while (problems < 400) {
    const test::Spec spec = draw(random);
    if (!test::is_possible(spec)) continue;
    const std::size_t offers =
        check(test::build(spec), random() % 4 == 0 ? 4 : 16, random() % 4 == 0, random() % 2 == 0);
    ++problems;
    unserved += offers == 0;
    passed += offers;
  }
  std::cout << problems << " problems, " << unserved << " unserved, " << passed << " passed\n";
  EXPECT_LE(unserved, 2u);  // windows of many taps and far apart
}

// Whatever it offers elsewhere is right as well, or it says why it offers nothing.
TEST_F(First, OffersNothingWrongOnTheGrid) {
  std::size_t problems = 0, passed = 0;
  for (const Problem& problem : test::make_grid(1, 9).problems) {
    if (problem.batch() == 0) continue;
    ++problems;
    passed += check(problem, 16, false, problems % 2 == 0);
  }
  std::cout << problems << " problems, " << passed << " offers passed\n";
  EXPECT_GT(passed, 0u);
}

struct Layer {
  std::int64_t batch, channels_in, height, width, channels_out, kernel, pad, stride;
};

TEST_F(First, IsRightForLayersOfNetworks) {
  constexpr std::array kLayers{
      Layer{16, 3, 224, 224, 64, 7, 3, 2},  // ResNet-50
      Layer{8, 3, 224, 224, 64, 3, 0, 1},   // VGG
      Layer{8, 3, 300, 300, 24, 3, 1, 2},   // EfficientNetV2
      Layer{8, 3, 227, 227, 96, 11, 2, 4},  // AlexNet
      Layer{2, 1, 512, 1031, 64, 3, 1, 1},  // U-Net of an odd width
      Layer{1, 4, 512, 2048, 32, 5, 2, 2},
  };
  std::size_t passed = 0;
  for (const Layer& layer : kLayers)
    for (const Direction direction :
         {Direction::forward, Direction::backward_data, Direction::backward_weight})
      for (const Dtype dtype : {Dtype::f32, Dtype::f16, Dtype::bf16})
        for (const auto memory : {test::Memory::first, test::Memory::last}) {
          test::Spec spec;
          spec.direction = direction;
          spec.batch = layer.batch;
          spec.channels_in = layer.channels_in;
          spec.channels_out = layer.channels_out;
          spec.in = {layer.height, layer.width, 1};
          spec.kernel = {layer.kernel, layer.kernel, 1};
          spec.stride = {layer.stride, layer.stride, 1};
          spec.pad_low = spec.pad_high = {layer.pad, layer.pad, 0};
          spec.x = spec.w = spec.y = dtype;
          spec.x_memory = spec.w_memory = spec.y_memory = memory;
          const std::size_t offers = check(test::build(spec), 16, false, true);
          EXPECT_GT(offers, 0u) << test::label(test::build(spec));
          passed += offers;
        }
  std::cout << passed << " offers passed\n";
}

// Of forward in x, of backward-weight in x, of backward-data in dy and in w.
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
            test::Inputs inputs(problem, test::Fill::ternary, 11);
            Operands host = inputs.with_old();
            const bool back = direction == Direction::backward_data;
            const Tensor& tensor = back ? problem.y : problem.x;
            void* const data = back ? host.y : host.x;
            store_element(data, dtype, 0, kEndless);
            store_element(data, dtype, tensor.offset_of(tensor.index_of(tensor.elements() * 5 / 7)),
                          -kEndless);
            if (back) store_element(host.w, dtype, 3, kEndless);
            const Tensor& output = problem.output();
            test::Buffer expected(output);
            Operands direct = host;
            output_of(problem, direct) = expected.data();
            reference::convolve(problem, direct, nullptr);
            const std::vector<double> right = expected.values();
            const test::DeviceInputs device(problem, host);
            std::vector<std::int64_t> offsets;
            for (std::int64_t i = 0; i < output.elements(); ++i)
              offsets.push_back(output.offset_of(output.index_of(i)));
            Limits limits;
            limits.alignment = 16;
            limits.device = kDevice;
            std::string why_not;
            for (const Offer& offer : engine_->offers(problem, limits, why_not)) {
              const auto prepared = engine_->prepare(problem, limits, offer.configuration);
              const Allocation workspace(prepared->workspace_size(), kDevice);
              prepared->execute(device.operands(), workspace.data(), nullptr);
              const std::vector<double> got =
                  work().gather(output, output_of(problem, device.operands()), offsets);
              for (std::size_t i = 0; i < got.size(); ++i)
                ASSERT_TRUE(got[i] == right[i] || (std::isnan(got[i]) && std::isnan(right[i])))
                    << offer.configuration << " " << test::label(problem) << " element " << i
                    << ": " << got[i] << ", not " << right[i];
              ++checked;
            }
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
  Limits limits;
  limits.device = kDevice;
  EXPECT_NO_THROW(engine_->prepare(problem, limits, "c64_t4x8_s1"));
  for (const char* const text :
       {"", "c64", "c64_p512", "c64_p100_s1", "c64_p1024_s1", "c48_p256_s1", "c64_p256_s3",
        "c64_p256_s1_n2", "c64_t8x21_s1", "c64_t08x8_s1", "c64_t8x8_s1_"})
    EXPECT_THROW(engine_->prepare(problem, limits, text), Error) << text;
}

}  // namespace
}  // namespace atc
