// Own kernels for gradients of depthwise weights: each configuration gives the reference's sums, an
// Inf reaches only the taps it takes part in, and equal operands give equal bits.
#include <cmath>
#include <cstring>
#include <iostream>
#include <limits>
#include <set>

#include "conv/arena.hpp"
#include "conv/gate.hpp"
#include "conv/site.hpp"
#include "core/half.hpp"
#include "cuda_test.hpp"
#include "engines/kernels/depthwise/backward_weight.hpp"
#include "engines/reference/direct.hpp"
#include "support/grid.hpp"
#include "support/problems.hpp"

namespace atc {
namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();

using DepthwiseWeight = test::CudaTest;

Limits limits() {
  Limits limits;
  limits.alignment = 16;
  limits.device.type = DeviceType::cuda;
  return limits;
}

struct Layer {
  const char* name;
  int spatial;
  std::int64_t batch, channels;
  Extents in, kernel;
  std::int64_t pad, stride;
};

// Of MobileNet, EfficientNet, ConvNeXt, Mamba and others.
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

// One configuration on the operands of an arena.
class Execution final : public Runnable {
 public:
  Execution(Prepared& prepared, const conv::Arena& arena, Stream stream)
      : prepared_(prepared), arena_(arena), stream_(stream) {}
  void run(std::size_t set) override {
    prepared_.execute(arena_.operands(set), arena_.workspace(), stream_);
  }

 private:
  Prepared& prepared_;
  const conv::Arena& arena_;
  Stream stream_;
};

TEST_F(DepthwiseWeight, GivesTheReferencesSums) {
  std::size_t problems = 0, offers = 0;
  for (const Problem& problem : test::make_grid(3, 17).problems) {
    if (problem.direction != Direction::backward_weight || problem.groups == 1) continue;
    std::string why_not;
    const auto offered = depthwise::backward_weight_offers(problem, limits(), why_not);
    EXPECT_EQ(offered.empty(), !why_not.empty()) << why_not;
    if (offered.empty()) continue;
    ++problems;
    const auto site = conv::make_site(kDevice, nullptr);
    conv::Arena arena(problem, *site, 1);
    conv::Gate gate(problem, *site, arena.operands(0), false, 1);
    for (const Offer& offer : offered) {
      const auto prepared =
          depthwise::prepare_backward_weight(problem, limits(), offer.configuration);
      EXPECT_EQ(prepared->workspace_size(), offer.workspace);
      arena.reserve_workspace(prepared->workspace_size());
      const auto verdict = gate.check(*prepared, arena.workspace(), offer.exactness, false,
                                      kEndless, conv::Apart::all);
      EXPECT_TRUE(verdict.passed) << offer.configuration << " " << test::label(problem) << ": "
                                  << verdict.reason;
      ++offers;
    }
  }
  std::cout << problems << " problems, " << offers << " offers\n";
  EXPECT_GT(problems, 100u);
}

// Every offer for each layer is right, gives the same bits again, and takes the time that is
// printed, beside that of moving x and dy at the speed of a copy (4.26 TB/s on an H200).
TEST_F(DepthwiseWeight, IsRightForLayersOfNetworks) {
  for (const Layer& layer : kLayers)
    for (const auto memory : {test::Memory::first, test::Memory::last})
      for (const Dtype dtype : {Dtype::f32, Dtype::f16, Dtype::bf16}) {
        const Problem problem = problem_of(layer, dtype, memory);
        std::string why_not;
        const auto offered = depthwise::backward_weight_offers(problem, limits(), why_not);
        ASSERT_FALSE(offered.empty()) << layer.name << ": " << why_not;
        const auto site = conv::make_site(kDevice, nullptr);
        conv::Arena arena(problem, *site, 1);
        conv::Gate gate(problem, *site, arena.operands(0), false, 1);
        const double moved =
            static_cast<double>(problem.x.span_bytes() + problem.y.span_bytes()) / 4.26e12;
        std::cout << layer.name << (memory == test::Memory::last ? " last " : " first ")
                  << name_of(dtype) << " bytes " << moved * 1e6 << " us, arithmetic "
                  << problem.flops() / 51e12 * 1e6 << " us\n";
        for (const Offer& offer : offered) {
          const auto prepared =
              depthwise::prepare_backward_weight(problem, limits(), offer.configuration);
          arena.reserve_workspace(prepared->workspace_size());
          const auto verdict = gate.check(*prepared, arena.workspace(), offer.exactness, false,
                                          kEndless, conv::Apart::all);
          EXPECT_TRUE(verdict.passed)
              << offer.configuration << " " << test::label(problem) << ": " << verdict.reason;
          Execution execution(*prepared, arena, site->stream());
          std::set<std::uint64_t> prints;
          for (int i = 0; i < 2; ++i) {
            execution.run(0);
            prints.insert(site->fingerprint(arena.operands(0).w, problem.w.span_bytes()));
          }
          EXPECT_EQ(prints.size(), 1u) << offer.configuration << " " << test::label(problem);
          site->device().time_batch(execution, arena.sets(), 4);
          double seconds = kEndless;
          for (int i = 0; i < 5; ++i)
            seconds = std::min(
                seconds, site->device().time_batch(execution, arena.sets(), 20).seconds_per_call);
          std::cout << "  " << offer.configuration << " " << seconds * 1e6 << " us\n";
        }
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
        test::Inputs inputs(problem, test::Fill::ternary, 11);
        Operands host = inputs.with_old();
        const Tensor& tensor = in_x ? problem.x : problem.y;
        void* const data = in_x ? host.x : host.y;
        // A corner, which meets padding, and somewhere within.
        store_element(data, tensor.dtype, 0, kEndless);
        store_element(data, tensor.dtype,
                      tensor.offset_of(tensor.index_of(tensor.elements() * 5 / 7)), -kEndless);
        test::Buffer expected(problem.w);
        Operands direct = host;
        direct.w = expected.data();
        reference::convolve(problem, direct, nullptr);
        const std::vector<double> right = expected.values();
        const test::DeviceInputs device(problem, host);
        std::string why_not;
        for (const Offer& offer : depthwise::backward_weight_offers(problem, limits(), why_not)) {
          const auto prepared =
              depthwise::prepare_backward_weight(problem, limits(), offer.configuration);
          const Allocation workspace(prepared->workspace_size(), kDevice);
          prepared->execute(device.operands(), workspace.data(), nullptr);
          std::vector<std::int64_t> offsets;
          for (std::int64_t i = 0; i < problem.w.elements(); ++i)
            offsets.push_back(problem.w.offset_of(problem.w.index_of(i)));
          const std::vector<double> got = work().gather(problem.w, device.operands().w, offsets);
          for (std::size_t i = 0; i < got.size(); ++i)
            ASSERT_TRUE(got[i] == right[i] || (std::isnan(got[i]) && std::isnan(right[i])))
                << offer.configuration << " " << layer.name << " weight " << i << ": " << got[i]
                << ", not " << right[i];
          ++checked;
        }
      }
  EXPECT_GT(checked, 60u);
}

}  // namespace
}  // namespace atc
