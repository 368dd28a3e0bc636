// Own kernels for gradients of dense filters: each configuration gives the reference's sums at
// awkward extents and for layers of networks, an Inf reaches only the elements it takes part in,
// and equal operands give equal bits.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "conv/arena.hpp"
#include "conv/gate.hpp"
#include "conv/site.hpp"
#include "core/error.hpp"
#include "core/half.hpp"
#include "cuda_test.hpp"
#include "engines/kernels/dense/backward_weight.hpp"
#include "engines/reference/direct.hpp"
#include "support/problems.hpp"

namespace atc {
namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();

Limits limits_of(std::size_t alignment) {
  Limits limits;
  limits.alignment = alignment;
  limits.device.type = DeviceType::cuda;
  return limits;
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

class DenseWeight : public test::CudaTest {
 protected:
  void SetUp() override {
    CudaTest::SetUp();
    if (IsSkipped()) return;
    test::Spec spec = layer({1, 16, 8, 8, 16, 3, 1, 1});
    std::string why_not;
    if (dense::backward_weight_offers(test::build(spec), limits_of(16), why_not).empty())
      GTEST_SKIP() << why_not;
  }

  struct Layer {
    std::int64_t batch, channels_in, height, width, channels_out, kernel, pad, stride;
    std::int64_t dilation = 1;
  };
  static test::Spec layer(const Layer& of) {
    test::Spec spec;
    spec.direction = Direction::backward_weight;
    spec.batch = of.batch;
    spec.channels_in = of.channels_in;
    spec.channels_out = of.channels_out;
    spec.in = {of.height, of.width, 1};
    spec.kernel = {of.kernel, of.kernel, 1};
    spec.pad_low = spec.pad_high = {of.pad, of.pad, 0};
    spec.stride = {of.stride, of.stride, 1};
    spec.dilation = {of.dilation, of.dilation, 1};
    return spec;
  }

  // The offers that the gate let pass; each that it did not is a failure. Prints what they take.
  std::size_t check(const Problem& problem, std::size_t alignment, bool timed) {
    const Limits limits = limits_of(alignment);
    std::string why_not;
    const auto offers = dense::backward_weight_offers(problem, limits, why_not);
    EXPECT_NE(offers.empty(), why_not.empty());
    if (offers.empty()) return 0;
    const auto site = conv::make_site(kDevice, nullptr);
    conv::Arena arena(problem, *site, 1);
    conv::Gate gate(problem, *site, arena.operands(0), limits.allow_tf32, 1);
    std::size_t passed = 0;
    for (const Offer& offer : offers) {
      const auto prepared = dense::prepare_backward_weight(problem, limits, offer.configuration);
      EXPECT_EQ(prepared->workspace_size(), offer.workspace);
      arena.reserve_workspace(prepared->workspace_size());
      const auto verdict =
          gate.check(*prepared, arena.workspace(), offer.exactness, false, kEndless);
      EXPECT_TRUE(verdict.passed) << offer.configuration << " " << test::label(problem) << ": "
                                  << verdict.reason;
      passed += verdict.passed;
      if (!timed) continue;
      Execution execution(*prepared, arena, site->stream());
      std::set<std::uint64_t> prints;
      for (int i = 0; i < 2; ++i) {
        execution.run(0);
        prints.insert(site->fingerprint(arena.operands(0).w, problem.w.span_bytes()));
      }
      EXPECT_EQ(prints.size(), 1u) << offer.configuration << " " << test::label(problem);
      double seconds = kEndless;
      for (int i = 0; i < 4; ++i)
        seconds = std::min(seconds, site->device().time_batch(execution, 1, 8).seconds_per_call);
      std::cout << "  " << offer.configuration << " " << seconds * 1e6 << " us, "
                << problem.flops() / seconds * 1e-12 << " TFLOP/s\n";
    }
    return passed;
  }
};

using Random = std::mt19937;

std::int64_t pick(Random& random, const std::vector<std::int64_t>& values) {
  return values[random() % values.size()];
}

test::Spec draw(Random& random) {
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
  Random random(1);
  std::size_t problems = 0, passed = 0;
  while (problems < 120) {
    const test::Spec spec = draw(random);
    if (!test::is_possible(spec)) continue;
    const Problem problem = test::build(spec);
    if (problem.kernel(0) * problem.kernel(1) == 1) continue;
    const std::size_t offers = check(problem, random() % 4 == 0 ? 4 : 16, false);
    EXPECT_GT(offers, 0u) << test::label(problem);
    ++problems;
    passed += offers;
  }
  std::cout << problems << " problems, " << passed << " offers passed\n";
}

TEST_F(DenseWeight, IsRightForLayersOfNetworks) {
  constexpr Layer kLayers[] = {
      {64, 64, 56, 56, 64, 3, 1, 1},  // ResNet-50
      {64, 128, 56, 56, 128, 3, 1, 2},   {64, 256, 14, 14, 256, 3, 1, 1},
      {64, 512, 7, 7, 512, 3, 1, 1},     {32, 64, 224, 224, 64, 3, 1, 1},   // VGG
      {32, 512, 28, 28, 512, 3, 1, 1},   {4, 128, 256, 256, 128, 3, 1, 1},  // U-Net
      {4, 512, 64, 64, 512, 3, 1, 1},    {2, 320, 64, 64, 320, 3, 1, 1},    // Stable Diffusion
      {8, 256, 64, 64, 256, 3, 2, 1, 2}, {3, 35, 61, 61, 67, 3, 0, 1},
      {5, 19, 101, 101, 37, 5, 2, 2},
  };
  for (const Layer& of : kLayers)
    for (const Dtype dtype : {Dtype::f32, Dtype::f16, Dtype::bf16}) {
      test::Spec spec = layer(of);
      spec.x = spec.w = spec.y = dtype;
      const Problem problem = test::build(spec);
      std::cout << test::label(problem) << "\n";
      EXPECT_GT(check(problem, 16, true), 0u);
    }
}

TEST_F(DenseWeight, AnInfReachesTheElementsItTakesPartIn) {
  for (const Layer& of : {Layer{2, 16, 9, 13, 24, 3, 1, 1}, Layer{3, 17, 10, 12, 16, 3, 1, 2},
                          Layer{2, 16, 8, 8, 16, 5, 2, 1}})
    for (const Dtype dtype : {Dtype::f32, Dtype::f16})
      for (const bool in_x : {true, false}) {
        test::Spec spec = layer(of);
        spec.x = spec.w = spec.y = dtype;
        const Problem problem = test::build(spec);
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
        const Limits limits = limits_of(16);
        for (const Offer& offer : dense::backward_weight_offers(problem, limits, why_not)) {
          const auto prepared =
              dense::prepare_backward_weight(problem, limits, offer.configuration);
          const Allocation workspace(prepared->workspace_size(), kDevice);
          prepared->execute(device.operands(), workspace.data(), nullptr);
          std::vector<std::int64_t> offsets;
          for (std::int64_t i = 0; i < problem.w.elements(); ++i)
            offsets.push_back(problem.w.offset_of(problem.w.index_of(i)));
          const std::vector<double> got = work().gather(problem.w, device.operands().w, offsets);
          for (std::size_t i = 0; i < got.size(); ++i)
            ASSERT_TRUE(got[i] == right[i] || (std::isnan(got[i]) && std::isnan(right[i])))
                << offer.configuration << " " << test::label(problem) << " element " << i << ": "
                << got[i] << ", not " << right[i];
        }
      }
}

TEST_F(DenseWeight, KnowsNoOtherConfigurations) {
  const Problem problem = test::build(layer({2, 16, 8, 8, 16, 3, 1, 1}));
  for (const char* const text :
       {"", "wgmma", "wgmma_bw_u2_g1_d2", "wgmma_bw_u3_g1_d2_s1", "wgmma_bw_u2_g3_d2_s1",
        "wgmma_bw_u2_g1_d1_s1", "wgmma_bw_u2_g1_d2_s0", "wgmma_bw_u02_g1_d2_s1"})
    EXPECT_THROW(dense::prepare_backward_weight(problem, limits_of(16), text), Error) << text;
}

}  // namespace
}  // namespace atc
