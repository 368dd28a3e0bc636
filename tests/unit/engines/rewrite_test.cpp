// Tests rewrites on the host, where the moves of a rewrite are plain loops. (A rewrite runs a
// problem as another problem, and moves the operands between the two problems.) Each rewrite
// together with the reference engine must give the same bits as the reference engine alone.
#include "engines/rewrite.hpp"

#include <gtest/gtest.h>

#include <map>

#include "core/error.hpp"
#include "engines/reference/reference_engine.hpp"
#include "engines/rewrite/move/move.hpp"
#include "engines/rewrite/rewrites.hpp"
#include "support/expected.hpp"
#include "support/grid.hpp"
#include "support/problems.hpp"
#include "support/tensors.hpp"

namespace atc {
namespace {

using test::Memory;
using test::Spec;

std::vector<std::unique_ptr<Rewrite>> all_rewrites() {
  std::vector<std::unique_ptr<Rewrite>> all;
  all.push_back(make_channels_last_rewrite());
  all.push_back(make_patch_rewrite());
  all.push_back(make_subsample_rewrite());
  all.push_back(make_channel_padding_rewrite());
  return all;
}

constexpr std::array kDirections{Direction::forward, Direction::backward_data,
                                 Direction::backward_weight};

// Returns problems whose windows do not overlap, some of them with windows of a single pixel. In
// some problems the last pixels of a row or column are in no window.
std::vector<Problem> windows() {
  std::vector<Problem> problems;
  int number = 0;
  for (const Direction direction : kDirections)
    for (int spatial = 1; spatial <= 3; ++spatial)
      for (const Memory memory : {Memory::first, Memory::last, Memory::strided})
        for (const Memory w_memory : {Memory::first, Memory::last, Memory::strided})
          for (const Extents& kernel : {Extents{2, 2, 2}, Extents{1, 3, 2}, Extents{1, 1, 1}})
            for (const std::int64_t left_over : {0, 1})
              for (const std::int64_t windows : {1, 3}) {
                Spec spec;
                spec.direction = direction;
                spec.spatial = spatial;
                spec.channels_in = 3;
                spec.channels_out = 5;
                spec.kernel = spec.stride = kernel;
                for (int dim = 0; dim < 3; ++dim) {
                  if (kernel[dim] == 1) spec.stride[dim] = 1 + (number + dim) % 3;
                  spec.in[dim] = spec.stride[dim] * (windows - 1) + kernel[dim] + left_over;
                }
                spec.x_memory = spec.y_memory = memory;
                if (++number % 5 == 0) spec.y_memory = Memory::last;
                spec.w_memory = w_memory;
                spec.accumulate = number % 3 == 0;
                if (direction != Direction::backward_weight && number % 4 == 0)
                  spec.epilogue = Epilogue::bias_relu;
                if (number % 2 == 0) spec.x = spec.w = spec.y = Dtype::bf16;
                if (number % 7 == 0) spec.y = Dtype::f32;
                if (test::is_possible(spec)) problems.push_back(test::build(spec));
              }
  return problems;
}

Limits limits() {
  Limits limits;
  limits.alignment = 64;
  return limits;
}

std::unique_ptr<Prepared> prepare(const Rewrite& rewrite, const Problem& problem,
                                  const Rewriting& rewriting) {
  Limits inner = limits();
  inner.alignment = rewriting.alignment;
  return rewrite.prepare(problem, limits(), rewriting,
                         make_reference_engine()->prepare(rewriting.problem, inner, "direct"));
}

TEST(Rewrite, ComputesTheProblem) {
  std::vector<Problem> problems = test::make_grid(1, 5).problems;
  for (const Problem& problem : windows()) problems.push_back(problem);
  std::map<std::string, std::size_t> ways;
  for (const auto& rewrite : all_rewrites())
    for (std::size_t i = 0; i < problems.size(); ++i) {
      const Problem& problem = problems[i];
      SCOPED_TRACE(rewrite->name() + " " + test::label(problem));
      std::string why_not;
      const auto rewritings = rewrite->rewritings(problem, limits(), why_not);
      if (rewritings.empty()) {
        EXPECT_NE(why_not, "");
        continue;
      }
      test::Inputs inputs(problem, test::Fill::ternary, i);
      const test::Expected expected(problem, inputs, test::Fill::ternary);
      for (const Rewriting& rewriting : rewritings) {
        SCOPED_TRACE(rewriting.configuration);
        ++ways[rewrite->name() + " " + rewriting.configuration];
        const auto prepared = prepare(*rewrite, problem, rewriting);
        for (const bool constant : {false, true}) {
          if (constant && problem.direction == Direction::backward_weight) continue;
          GuardedBuffer output(problem.output());
          inputs.reset(output);
          Operands operands = inputs.with_output(output.data());
          if (constant) {
            prepared->set_weights(operands.w);
            operands.w = nullptr;
          }
          test::Workspace workspace(prepared->workspace_size());
          prepared->execute(operands, workspace.data(), nullptr);
          ASSERT_EQ(expected.compare(output), "");
          ASSERT_FALSE(workspace.overrun());
        }
      }
    }
  for (const auto& [way, count] : ways) {
    std::printf("%zu x %s\n", count, way.c_str());
    EXPECT_GE(count, 20u) << way;
  }
  EXPECT_EQ(ways.size(), 7u);
}

Spec layer(std::int64_t batch, std::int64_t in, std::int64_t size, std::int64_t out,
           std::int64_t kernel, std::int64_t stride, std::int64_t pad) {
  Spec spec;
  spec.batch = batch;
  spec.channels_in = in;
  spec.channels_out = out;
  spec.in = {size, size, 1};
  spec.kernel = {kernel, kernel, 1};
  spec.stride = {stride, stride, 1};
  spec.pad_low = spec.pad_high = {pad, pad, 0};
  spec.x = spec.w = spec.y = Dtype::f16;
  return spec;
}

Rewriting first_way(const std::unique_ptr<Rewrite>& rewrite, const Problem& problem) {
  std::string why_not;
  const auto rewritings = rewrite->rewritings(problem, limits(), why_not);
  if (rewritings.empty()) throw Error(Status::unsupported, why_not);
  return rewritings.front();
}

TEST(Rewrite, MakesOneProductOfPatches) {
  Spec spec = layer(64, 3, 224, 768, 16, 16, 0);
  const Rewriting vit = first_way(make_patch_rewrite(), test::build(spec));
  EXPECT_EQ(vit.problem.w.shape, (Tensor::Index{768, 768, 1, 1}));
  EXPECT_EQ(vit.problem.x.shape, (Tensor::Index{64, 768, 14, 14}));
  EXPECT_TRUE(vit.problem.x.channels_last());
  EXPECT_EQ(vit.configuration, "last");
  // The rewrite copies x and y into matrices in the workspace. It does not copy w.
  EXPECT_EQ(vit.workspace, 2u * 12544 * 768 * 2);
  EXPECT_EQ(vit.alignment, 64u) << "w is as the caller has it";
  spec.x_memory = spec.w_memory = spec.y_memory = Memory::last;
  EXPECT_EQ(first_way(make_patch_rewrite(), test::build(spec)).workspace, 12544u * 768 * 2);
}

TEST(Rewrite, MovesNothingForAWindowAsLargeAsItsInput) {
  Spec spec;
  spec.spatial = 3;
  spec.batch = 32;
  spec.channels_in = 3;
  spec.channels_out = 40;
  spec.in = spec.kernel = spec.stride = {2, 14, 14};
  for (const Memory memory : {Memory::first, Memory::last}) {
    spec.x_memory = spec.w_memory = spec.y_memory = memory;
    const Rewriting rewriting = first_way(make_patch_rewrite(), test::build(spec));
    EXPECT_EQ(rewriting.workspace, 0u);
    EXPECT_EQ(rewriting.problem.x.shape, (Tensor::Index{32, 1176, 1, 1}));
  }
}

TEST(Rewrite, ReadsEveryOtherPixelOnce) {
  const Rewriting rewriting =
      first_way(make_subsample_rewrite(), test::build(layer(8, 256, 56, 512, 1, 2, 0)));
  EXPECT_EQ(rewriting.configuration, "last");
  EXPECT_EQ(rewriting.problem.x.shape, (Tensor::Index{8, 256, 28, 28}));
  EXPECT_EQ(rewriting.problem.stride, (Extents{1, 1, 1}));
  EXPECT_EQ(rewriting.workspace, (8u * 256 * 784 + 8 * 512 * 784) * 2) << "w is the same memory";
}

TEST(Rewrite, PadsChannelsWhereTheyAreOdd) {
  const auto pad = make_channel_padding_rewrite();
  std::string why_not;
  Spec spec = layer(4, 3, 32, 64, 7, 2, 3);
  const auto ways = pad->rewritings(test::build(spec), limits(), why_not);
  ASSERT_EQ(ways.size(), 2u);
  EXPECT_EQ(ways[0].problem.channels_in(), 4);
  EXPECT_EQ(ways[1].problem.channels_in(), 8);
  EXPECT_EQ(ways[1].problem.w.shape, (Tensor::Index{64, 8, 7, 7}));
  spec.channels_out = 19;
  spec.epilogue = Epilogue::bias;
  EXPECT_TRUE(pad->rewritings(test::build(spec), limits(), why_not).empty());
  EXPECT_EQ(why_not, "the bias is not padded");
  EXPECT_TRUE(
      pad->rewritings(test::build(layer(4, 64, 32, 64, 3, 1, 1)), limits(), why_not).empty());
}

TEST(Rewrite, OffersNothingThatDoesNotFit) {
  Limits tight = limits();
  tight.workspace = 1000;
  std::string why_not;
  const Problem problem = test::build(layer(4, 64, 32, 64, 3, 1, 1));
  EXPECT_TRUE(make_channels_last_rewrite()->rewritings(problem, tight, why_not).empty());
  EXPECT_NE(why_not.find("1000 are allowed"), std::string::npos) << why_not;
}

TEST(Rewrite, RefusesAWayThatItDoesNotHave) {
  const Problem problem = test::build(layer(4, 64, 32, 64, 3, 1, 1));
  Rewriting rewriting = first_way(make_channels_last_rewrite(), problem);
  rewriting.configuration = "sideways";
  EXPECT_THROW(prepare(*make_channels_last_rewrite(), problem, rewriting), Error);
}

// The targets of these moves have positions to which no element of the source is copied.
TEST(Move, WritesZerosWhereTheSourceHasNothing) {
  const std::uint16_t source[] = {1, 2, 3, 4};
  std::uint16_t target[15];
  std::fill(std::begin(target), std::end(target), 9);
  // Copies two rows of two elements into three rows of five, to every other column. The other
  // positions of the target must become zero.
  rewrite::move_on_host({{{3, 2, 1, 2, 5}, {5, 2, 2, 1, 1}}}, 2, source, target);
  const std::uint16_t expected[] = {1, 0, 2, 0, 0, 3, 0, 4, 0, 0, 0, 0, 0, 0, 0};
  EXPECT_TRUE(std::equal(std::begin(target), std::end(target), expected));
}

}  // namespace
}  // namespace atc
