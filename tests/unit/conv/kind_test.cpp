// Tests the kinds of problems. A choice that was not raced is checked once for each kind, on a
// small problem of this kind. The tests are about the properties that determine the kind, and about
// the small problem.
#include "conv/race/kind.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "conv/race/resized.hpp"
#include "engines/reference/reference_engine.hpp"
#include "support/problems.hpp"

namespace atc::conv {
namespace {

// Returns a problem of one spatial dimension.
Problem row(std::int64_t in, std::int64_t kernel, std::int64_t stride, std::int64_t dilation = 1,
            std::int64_t pad = 0) {
  Problem problem;
  problem.spatial = 1;
  problem.stride[0] = stride;
  problem.dilation[0] = dilation;
  problem.pad_low[0] = problem.pad_high[0] = pad;
  problem.x = {Dtype::f32, 3, {1, 1, in}, {in, in, 1}};
  problem.y = problem.x;
  problem.w = {Dtype::f32, 3, {1, 1, kernel}, {kernel, kernel, 1}};
  return with_input(problem, 1, {in});
}

TEST(Kind, HasTheConditionsOfKnownFaultsAndNoSizes) {
  const Chain chain{{}, std::shared_ptr<const Engine>(make_reference_engine())};
  const Choice choice{"reference", "1", "direct", {}};
  const auto kind = [&](const Problem& problem, Direction direction = Direction::forward) {
    Problem directed = problem;
    directed.direction = direction;
    return kind_of(choice, chain, directed, {});
  };
  const std::string plain = kind(row(16, 3, 1));
  EXPECT_EQ(kind(row(90, 3, 1)), plain);
  EXPECT_EQ(kind(row(90, 5, 1)), plain);
  EXPECT_NE(kind(row(16, 3, 1), Direction::backward_data), plain);
  EXPECT_NE(kind(row(17, 3, 2)), plain);
  Problem ended = row(16, 3, 1);
  ended.post_ops.activation = {Function::silu};
  EXPECT_NE(kind(ended), plain);
  EXPECT_NE(kind(row(17, 3, 2)), kind(row(18, 3, 2))) << "the last element is in no window";
  EXPECT_NE(kind(row(16, 3, 1, 2)), plain);
  EXPECT_NE(kind(row(2, 3, 1, 1, 1)), plain) << "the kernel is larger than the input";
  Problem uneven = row(16, 3, 1, 1, 1);
  EXPECT_EQ(kind(uneven), plain) << "even padding";
  uneven.pad_high[0] = 2;
  EXPECT_NE(kind(with_input(uneven, 1, {16})), plain);
  Problem other_side = uneven;
  std::swap(other_side.pad_low, other_side.pad_high);
  EXPECT_NE(kind(with_input(other_side, 1, {16})), kind(with_input(uneven, 1, {16})));
  Problem half = row(16, 3, 1);
  half.x.dtype = Dtype::bf16;
  EXPECT_NE(kind(half), plain);
  Problem grouped = row(16, 3, 1);
  grouped.groups = 2;
  EXPECT_NE(kind(grouped), plain);
}

TEST(CheapOfKind, HasFewerImagesAndWindowsAndTheSameKind) {
  const Chain chain{{}, std::shared_ptr<const Engine>(make_reference_engine())};
  const Choice choice{"reference", "1", "direct", {}};
  for (const std::int64_t extent : {56, 57, 224, 225})
    for (const std::int64_t stride : {1, 2, 3})
      for (const std::int64_t kernel : {1, 3, 181}) {
        test::Spec spec;
        spec.batch = 33;
        spec.channels_in = spec.channels_out = kernel == 181 ? 2 : 64;
        spec.in = {extent, extent};
        spec.kernel = {kernel, kernel};
        spec.stride = {stride, stride};
        spec.pad_low = spec.pad_high = {kernel / 2, kernel / 2};
        const Problem problem = test::build(spec);
        const Problem cheap = cheap_of_kind(problem, {});
        SCOPED_TRACE(describe(problem) + " becomes " + describe(cheap));
        EXPECT_EQ(kind_of(choice, chain, cheap, {}), kind_of(choice, chain, problem, {}));
        EXPECT_LT(cheap.flops(), problem.flops());
        EXPECT_GE(cheap.out(0), std::min<std::int64_t>(16, problem.out(0)));
        EXPECT_EQ(cheap.w, problem.w);
        if (kernel == 3) {
          EXPECT_LE(cheap.flops(), 2.0 * (1 << 26));
        }
      }
}

TEST(CheapOfKind, IsAnotherProblemOnlyWhereThatHelps) {
  test::Spec spec;
  const Problem small = test::build(spec);
  EXPECT_EQ(cheap_of_kind(small, {}), small);
  spec.batch = 512;
  spec.channels_in = spec.channels_out = 64;
  spec.in = {56, 56};
  spec.x_memory = test::Memory::strided;
  const Problem strided = test::build(spec);
  EXPECT_EQ(cheap_of_kind(strided, {}), strided) << "its layout would be lost";
}

}  // namespace
}  // namespace atc::conv
