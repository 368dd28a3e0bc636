// Tests atc's kernels for gradients of depthwise weights. Each configuration must give the
// reference's sums. An Inf in an operand must reach only the taps whose sums contain it. Equal
// operands must give equal bits.
#include <algorithm>
#include <iostream>

#include "cuda_test.hpp"
#include "engines/registry.hpp"
#include "offers.hpp"
#include "support/grid.hpp"
#include "support/problems.hpp"

namespace atc {
namespace {

class DepthwiseWeight : public test::CudaTest {
 protected:
  std::shared_ptr<const Engine> engine_ = EngineRegistry::instance().find("depthwise");
};

struct Layer {
  const char* name;
  int spatial;
  std::int64_t batch, channels;
  Extents in, kernel;
  std::int64_t pad, stride;
};

// Layers of MobileNet, EfficientNet, ConvNeXt, Mamba and other networks.
constexpr Layer kLayers[] = {
    {"dw3_144", 2, 64, 144, {56, 56, 1}, {3, 3, 1}, 1, 1},
    {"dw5_672", 2, 64, 672, {14, 14, 1}, {5, 5, 1}, 2, 1},
    {"dw7_96", 2, 64, 96, {56, 56, 1}, {7, 7, 1}, 3, 1},
    {"mamba_dw1d_k4", 1, 16, 2048, {4096, 1, 1}, {4, 1, 1}, 3, 1},
    {"mbv3_dw3s1_16", 2, 64, 16, {112, 112, 1}, {3, 3, 1}, 1, 1},
    {"mbv3_dw3s2_64", 2, 64, 64, {112, 112, 1}, {3, 3, 1}, 1, 2},
    {"mbv3_dw5s1_120", 2, 64, 120, {28, 28, 1}, {5, 5, 1}, 2, 1},
    {"mbv3_dw5s2_72", 2, 64, 72, {56, 56, 1}, {5, 5, 1}, 2, 2},
    {"mbv3_dw5s1_960_b1", 2, 1, 960, {7, 7, 1}, {5, 5, 1}, 2, 1},
    {"effb0_dw5s2_144", 2, 64, 144, {56, 56, 1}, {5, 5, 1}, 2, 2},
    {"dw7_192_28", 2, 64, 192, {28, 28, 1}, {7, 7, 1}, 3, 1},
    {"dw7_384_14", 2, 64, 384, {14, 14, 1}, {7, 7, 1}, 3, 1},
    {"dw7_768_7", 2, 64, 768, {7, 7, 1}, {7, 7, 1}, 3, 1},
    {"dw13_256", 2, 16, 256, {32, 32, 1}, {13, 13, 1}, 6, 1},
    {"dw3d_64", 3, 4, 64, {16, 28, 28}, {3, 3, 3}, 1, 1},
    {"dw1d_512_k7", 1, 16, 512, {2000, 1, 1}, {7, 1, 1}, 3, 1},
};

Problem problem_of(const Layer& layer, Dtype dtype, test::Memory memory) {
  test::Spec spec;
  spec.direction = Direction::backward_weight;
  spec.spatial = layer.spatial;
  spec.batch = layer.batch;
  spec.channels_in = spec.channels_out = spec.groups = layer.channels;
  spec.in = layer.in;
  spec.kernel = layer.kernel;
  spec.stride = {layer.stride, layer.stride, layer.stride};
  spec.pad_low = spec.pad_high = {layer.pad, layer.pad, layer.pad};
  spec.x = spec.w = spec.y = dtype;
  spec.x_memory = spec.w_memory = spec.y_memory = memory;
  return test::build(spec);
}

TEST_F(DepthwiseWeight, GivesTheReferencesSums) {
  test::Tally tally;
  for (const Problem& problem : test::make_grid(3, 17).problems)
    if (problem.direction == Direction::backward_weight && problem.groups != 1)
      tally.add(
          test::check_offers(*engine_, problem, test::cuda_limits(16, false), {conv::Apart::all}));
  std::cout << tally;
  EXPECT_GT(tally.problems - tally.unserved, 100u);
}

// For each layer, each offer must be right and must give the same bits again. Prints the time of
// each offer. For comparison, also prints the time in which a copy moves as many bytes as x and dy
// have (at 4.26 TB/s, as on an H200).
TEST_F(DepthwiseWeight, IsRightForLayersOfNetworks) {
  for (const Layer& layer : kLayers)
    for (const auto memory : {test::Memory::first, test::Memory::last})
      for (const Dtype dtype : {Dtype::f32, Dtype::f16, Dtype::bf16}) {
        const Problem problem = problem_of(layer, dtype, memory);
        const double moved =
            static_cast<double>(problem.x.span_bytes() + problem.y.span_bytes()) / 4.26e12;
        std::cout << layer.name << (memory == test::Memory::last ? " last " : " first ")
                  << name_of(dtype) << " bytes " << moved * 1e6 << " us, arithmetic "
                  << problem.flops() / 51e12 * 1e6 << " us\n";
        test::Checks checks{conv::Apart::all};
        checks.also = [&](const Offer& offer, Prepared& prepared, test::Trial& trial) {
          trial.expect_repeats(prepared, offer.configuration);
          trial.time(prepared, trial.sets(), 4, 1);
          std::cout << "  " << offer.configuration << " "
                    << trial.time(prepared, trial.sets(), 20, 5) * 1e6 << " us\n";
        };
        test::check_served(*engine_, {problem}, test::cuda_limits(16, false), checks);
      }
}

TEST_F(DepthwiseWeight, AnInfReachesTheTapsItTakesPartIn) {
  std::size_t checked = 0;
  for (const Layer& layer : kLayers)
    for (const auto memory : {test::Memory::first, test::Memory::last})
      for (const bool in_x : {true, false}) {
        Layer small = layer;
        small.batch = std::min<std::int64_t>(layer.batch, 2);
        small.channels = 24;
        small.in[0] = std::min<std::int64_t>(layer.in[0], 40);
        const Problem problem = problem_of(small, Dtype::f32, memory);
        checked +=
            test::expect_as_direct(*engine_, problem, test::cuda_limits(), [&](Operands& host) {
              test::put_infinities(in_x ? problem.x : problem.y, in_x ? host.x : host.y);
            });
      }
  EXPECT_GT(checked, 60u);
}

}  // namespace
}  // namespace atc
