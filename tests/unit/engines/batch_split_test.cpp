// Tests, on the host, the rewrite that splits a batch into parts, which an engine computes one
// after the other. With the reference engine, the parts together must give the same bits as the
// whole problem.
#include <gmock/gmock.h>

#include "engines/reference/reference_engine.hpp"
#include "engines/rewrite/rewrites.hpp"
#include "support/expected.hpp"
#include "support/problems.hpp"
#include "support/tensors.hpp"

namespace atc {
namespace {

using test::Memory;
using test::Spec;
using testing::HasSubstr;

Limits with_workspace(std::uint64_t bytes) {
  Limits limits;
  limits.alignment = 64;
  limits.workspace = bytes;
  return limits;
}

Spec images(std::int64_t batch, Direction direction = Direction::forward) {
  Spec spec;
  spec.direction = direction;
  spec.batch = batch;
  spec.channels_in = 3;
  spec.channels_out = 5;
  spec.in = {6, 5, 1};
  spec.kernel = {3, 3, 1};
  spec.pad_low = spec.pad_high = {1, 1, 0};
  return spec;
}

std::vector<Rewriting> ways(const Problem& problem, const Limits& limits, std::string& why_not) {
  return make_batch_split_rewrite()->rewritings(problem, limits, why_not);
}

std::uint64_t bytes_of(const Problem& problem) {
  return problem.x.span_bytes() + problem.y.span_bytes();
}

TEST(BatchSplit, ComputesTheProblem) {
  const auto split = make_batch_split_rewrite();
  std::size_t number = 0;
  for (const Direction direction :
       {Direction::forward, Direction::backward_data, Direction::backward_weight})
    for (const Memory memory : {Memory::first, Memory::last, Memory::strided})
      for (const bool accumulate : {false, true})
        for (const std::int64_t batch : {4, 6, 7}) {
          Spec spec = images(batch, direction);
          spec.x_memory = spec.y_memory = memory;
          spec.accumulate = accumulate;
          if (direction == Direction::forward && ++number % 2 == 0)
            spec.epilogue = Epilogue::bias_relu;
          const Problem problem = test::build(spec);
          SCOPED_TRACE(test::label(problem));
          const Limits limits = with_workspace(bytes_of(problem) * 2 / 5);
          std::string why_not;
          const auto all = ways(problem, limits, why_not);
          ASSERT_EQ(all.size(), 1u) << why_not;
          EXPECT_EQ(all[0].configuration, batch == 4 ? "4" : batch == 6 ? "3" : "7");
          Limits inner = limits;
          inner.alignment = all[0].alignment;
          const auto prepared =
              split->prepare(problem, limits, all[0],
                             make_reference_engine()->prepare(all[0].problem, inner, "direct"));
          test::Inputs inputs(problem, test::Fill::ternary, 1);
          const test::Expected expected(problem, inputs, test::Fill::ternary);
          GuardedBuffer output(problem.output());
          inputs.reset(output);
          test::Workspace workspace(prepared->workspace_size());
          prepared->execute(inputs.with_output(output.data()), workspace.data(), nullptr);
          EXPECT_EQ(expected.compare(output), "");
        }
}

TEST(BatchSplit, BringsTensorsWithinReachOfIndices) {
  Spec spec = images(96);
  spec.channels_in = 256;
  spec.in = {512, 512, 1};
  const Problem problem = test::build(spec);
  ASSERT_GT(problem.x.span(), std::int64_t{1} << 32);
  std::string why_not;
  const auto all = ways(problem, with_workspace(std::uint64_t{1} << 40), why_not);
  ASSERT_EQ(all.size(), 1u) << why_not;
  EXPECT_EQ(all[0].configuration, "3") << "6.4e9 elements of x, 2.1e9 within reach";
  EXPECT_EQ(all[0].problem.batch(), 32);
  EXPECT_EQ(all[0].workspace, 0u);
}

TEST(BatchSplit, KeepsToTheAlignmentOfEachPart) {
  Spec spec = images(4);
  spec.x = spec.w = spec.y = Dtype::f16;
  const Problem problem = test::build(spec);
  std::string why_not;
  const auto all = ways(problem, with_workspace(bytes_of(problem) / 2), why_not);
  ASSERT_EQ(all.size(), 1u) << why_not;
  ASSERT_EQ(all[0].configuration, "2");
  // The second part of x begins after 2 x 90 elements of two bytes (360 bytes), and that of y after
  // 2 x 150 elements (600 bytes). So each part is aligned to 8 bytes, but not to 16.
  EXPECT_EQ(all[0].alignment, 8u);
}

TEST(BatchSplit, OffersNothingWhereItIsOfNoUse) {
  std::string why_not;
  const auto none = [&](const Spec& spec, std::uint64_t workspace) {
    EXPECT_TRUE(ways(test::build(spec), with_workspace(workspace), why_not).empty());
    return why_not;
  };
  EXPECT_THAT(none(images(4), 1 << 20), HasSubstr("fit into the workspace"));
  EXPECT_THAT(none(images(4), 0), HasSubstr("32-bit indices reach all"));
  EXPECT_EQ(none(images(1), 16), "the batch is 1");
  EXPECT_THAT(none(images(4), 16), HasSubstr("no number of equal parts"));
  Spec weight = images(4, Direction::backward_weight);
  weight.x = weight.w = weight.y = Dtype::bf16;
  EXPECT_EQ(none(weight, 1000), "sums of parts would be rounded to 16 bits");
  weight.x = weight.w = weight.y = Dtype::f32;
  weight.w_memory = Memory::strided;
  EXPECT_EQ(none(weight, 1000), "w is not dense");
}

}  // namespace
}  // namespace atc
