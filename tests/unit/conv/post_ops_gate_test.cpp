// Tests post-ops (core/post_ops.hpp: scale, bias, residual and activation after the sums) at the
// correctness gate. The gate must accept an engine that computes the post-ops in a separate pass,
// for each activation, dtype, layout and direction. It must refuse results in which a part of the
// post-ops is missing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "conv/race/arena.hpp"
#include "conv/race/gate.hpp"
#include "core/error.hpp"
#include "engines/epilogue/pass.hpp"
#include "engines/epilogue/separate_epilogue.hpp"
#include "engines/reference/reference_engine.hpp"
#include "support/problems.hpp"

namespace atc {
namespace {

using test::Memory;
using test::Spec;
using ::testing::AnyOf;
using ::testing::HasSubstr;

const std::vector<Activation> kActivations = {{},
                                              {Function::relu},
                                              {Function::clamp, 0, 6},
                                              {Function::clamp, -0.3F, 1.7F},
                                              {Function::silu},
                                              {Function::gelu},
                                              {Function::gelu_tanh},
                                              {Function::hard_swish},
                                              {Function::sigmoid},
                                              {Function::leaky_relu, 0, 0, 0.1F}};

// Returns a problem with the post-ops. `direction` is forward, or backward-data, which is how a
// transposed convolution is computed.
Problem layer(Direction direction, Dtype dtype, Memory memory, const PostOps& post_ops,
              Epilogue epilogue = Epilogue::bias) {
  Spec spec;
  spec.direction = direction;
  spec.batch = 2;
  spec.channels_in = 8;
  spec.channels_out = 6;
  spec.groups = 2;
  spec.in = {13, 14, 1};
  spec.kernel = {3, 3, 1};
  spec.pad_low = spec.pad_high = {1, 1, 0};
  spec.x = spec.w = spec.y = dtype;
  spec.x_memory = spec.w_memory = spec.y_memory = memory;
  spec.epilogue = epilogue;
  Problem problem = test::build(spec);
  problem.post_ops = post_ops;
  return problem;
}

std::shared_ptr<const Engine> separate() { return with_separate_epilogue(make_reference_engine()); }

tune::Verdict check(const Problem& problem, Prepared& candidate, Exactness exactness,
                    conv::Apart apart = conv::Apart::unasked) {
  const auto site = conv::make_site({DeviceType::cpu, 0}, nullptr);
  conv::Arena arena(problem, *site, 1);
  conv::Gate gate(problem, *site, arena.operands(0), false, 1);
  const tune::Verdict verdict = gate.check(candidate, arena.workspace(), exactness, false,
                                           std::numeric_limits<double>::infinity(), apart);
  gate.evaluate_whole();
  if (!verdict.passed) return verdict;
  // Checks the candidate a second time. Now the gate has the whole output of the reference, and
  // compares all elements.
  return gate.check(candidate, arena.workspace(), exactness, false,
                    std::numeric_limits<double>::infinity(), apart);
}

TEST(PostOpsAtTheGate, SeparatePassesAndTheReferencePass) {
  constexpr Memory kMemory[] = {Memory::first, Memory::last, Memory::strided};
  std::size_t number = 0;  // selects a memory layout, another one for each problem
  for (const Direction direction : {Direction::forward, Direction::backward_data})
    for (const Dtype dtype : {Dtype::f32, Dtype::bf16, Dtype::f16})
      for (const Activation& activation : kActivations)
        for (const bool more : {false, true}) {
          const Memory memory = kMemory[number++ % 3];
          const Problem problem = layer(direction, dtype, memory, {more, more, activation});
          if (!problem.post_ops.any()) continue;
          std::string why_not;
          const std::vector<Offer> offers = separate()->offers(problem, {}, why_not);
          ASSERT_EQ(offers.size(), 1u) << why_not;
          const auto candidate = separate()->prepare(problem, {}, offers[0].configuration);
          EXPECT_EQ(check(problem, *candidate, offers[0].exactness, conv::Apart::all).reason, "")
              << test::label(problem);
          const auto reference = make_reference_engine()->prepare(problem, {}, "direct");
          EXPECT_EQ(check(problem, *reference, Exactness::exact, conv::Apart::all).reason, "")
              << test::label(problem);
        }
}

// A wrong candidate: it computes the problem `computed`, in which a part of the post-ops is
// missing, on the operands of the whole problem.
class Lacking final : public Prepared {
 public:
  explicit Lacking(const Problem& computed)
      : rest_(make_reference_engine()->prepare(computed, {}, "direct")) {}
  std::uint64_t workspace_size() const override { return 0; }
  void set_weights(const void* w) override { rest_->set_weights(w); }
  void execute(const Operands& operands, void* workspace, Stream stream) override {
    rest_->execute(operands, workspace, stream);
  }

 private:
  std::unique_ptr<Prepared> rest_;
};

TEST(PostOpsAtTheGate, RefusesPostOpsThatLackAPart) {
  for (const Dtype dtype : {Dtype::f32, Dtype::bf16, Dtype::f16})
    for (const Activation& activation : kActivations) {
      const Problem problem =
          layer(Direction::forward, dtype, Memory::last, {true, true, activation});
      std::vector<Problem> lacking(4, problem);
      lacking[0].post_ops.scale = false;
      lacking[1].post_ops.residual = false;
      lacking[2].epilogue = Epilogue::none;
      lacking[3].post_ops.activation = {activation.function == Function::silu ? Function::gelu
                                                                              : Function::silu};
      for (const Problem& computed : lacking) {
        Lacking candidate(computed);
        EXPECT_THAT(check(problem, candidate, Exactness::bounded).reason,
                    HasSubstr("the reference says"))
            << test::label(problem) << " computed as " << test::label(computed);
      }
    }
}

// The exact GELU and its approximation by tanh differ by at most 5e-4. This difference is larger
// than the tolerance of fp32, but not than that of bf16.
TEST(PostOpsAtTheGate, TellsTheTwoFormsOfGeluApart) {
  const Problem problem =
      layer(Direction::forward, Dtype::f32, Memory::first, {false, false, {Function::gelu}});
  Problem other = problem;
  other.post_ops.activation = {Function::gelu_tanh};
  Lacking candidate(other);
  EXPECT_FALSE(check(problem, candidate, Exactness::exact).passed);
}

TEST(SeparateEpilogue, LeavesProblemsWithoutPostOpsAlone) {
  const Problem plain = layer(Direction::forward, Dtype::f32, Memory::first, {});
  std::string why_not;
  const std::vector<Offer> offers = separate()->offers(plain, {}, why_not);
  ASSERT_EQ(offers.size(), 1u);
  EXPECT_EQ(offers[0].configuration, "direct");
  const Problem ended = layer(Direction::forward, Dtype::f32, Memory::first, {true, false, {}});
  EXPECT_THROW(separate()->prepare(plain, {}, "separate-epilogue direct"), Error);
  EXPECT_THROW(separate()->prepare(ended, {}, "direct"), Error);
}

// An engine's configurations with and without a separate pass for the epilogue must have different
// kernel names, so that the gate's verdict on one is not used for the other.
TEST(SeparateEpilogue, IsAKernelOfItsOwn) {
  EXPECT_EQ(separate()->kernel_of("direct"), "direct");
  EXPECT_EQ(separate()->kernel_of("separate-epilogue direct"), "separate-epilogue direct");
  EXPECT_EQ(separate()->kin("separate-epilogue direct"), "") << "the reference names no kin";
}

// The pass on CUDA writes consecutive elements, so it would overwrite the gaps.
TEST(SeparateEpilogue, HasNoPassOnCudaIfTheOutputHasGaps) {
  const Problem problem = layer(Direction::forward, Dtype::f32, Memory::strided, {true, false, {}});
  ASSERT_GT(problem.y.span(), problem.y.elements());
  Limits limits;
  limits.device = {DeviceType::cuda, 0};
  std::string why_not;
  EXPECT_TRUE(separate()->offers(problem, limits, why_not).empty());
  EXPECT_THAT(why_not, AnyOf(HasSubstr("without gaps"), HasSubstr("no device kernels")));
  EXPECT_THROW(separate()->prepare(problem, limits, "separate-epilogue direct"), Error);
}

// All values are small whole numbers, so the pass that applies the post-ops makes no rounding
// errors.
TEST(SeparateEpilogue, AppliesItsPartsInOrder) {
  const Problem problem = layer(Direction::forward, Dtype::f32, Memory::strided,
                                {true, true, {Function::clamp, -2, 7}});
  std::vector<float> output(static_cast<std::size_t>(problem.y.span()), 3),
      residual(output.size(), 4), scale{1, 2, -1, 0, 3, 1}, bias{0, -1, 2, -20, 1, -5};
  Operands operands;
  operands.y = output.data();
  operands.residual = residual.data();
  operands.scale = scale.data();
  operands.bias = bias.data();
  apply_post_ops(problem, operands, true);
  const std::vector<float> expected{7, 7, 3, -2, 7, 2};
  // the expected memory; the gaps between the elements keep the value 3
  std::vector<float> all(output.size(), 3);
  for (std::int64_t i = 0; i < problem.y.elements(); ++i) {
    const Tensor::Index index = problem.y.index_of(i);
    all[static_cast<std::size_t>(problem.y.offset_of(index))] =
        expected[static_cast<std::size_t>(index[1])];
  }
  EXPECT_EQ(output, all);
}

}  // namespace
}  // namespace atc
