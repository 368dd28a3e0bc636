// Tests the engine `winograd` against the reference.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/half.hpp"
#include "core/random.hpp"
#include "core/walk.hpp"
#include "engines/reference/reference_engine.hpp"
#include "engines/reference/sampled_gate.hpp"
#include "engines/winograd/winograd_engine.hpp"
#include "support/openmp.hpp"
#include "support/problems.hpp"
#include "support/tensors.hpp"

namespace atc {
namespace {

using test::Fill;
using test::Memory;
using test::Spec;
using ::testing::HasSubstr;

Spec layer(std::int64_t channels_in, std::int64_t channels_out, std::int64_t extent) {
  Spec spec;
  spec.channels_in = channels_in;
  spec.channels_out = channels_out;
  spec.in = {extent, extent, 1};
  spec.pad_low = spec.pad_high = {1, 1, 0};
  return spec;
}

std::vector<Offer> offers_of(const Problem& problem, std::string* why = nullptr) {
  std::string why_not;
  std::vector<Offer> offers = make_winograd_engine()->offers(problem, {}, why_not);
  if (why != nullptr) *why = why_not;
  return offers;
}

bool is_possible_here() { return !offers_of(test::build(layer(16, 16, 8))).empty(); }

#define SKIP_WITHOUT_AVX2() \
  if (!is_possible_here()) GTEST_SKIP() << "this processor lacks AVX2 or FMA"

std::vector<float> elements(const Tensor& tensor, const void* data) {
  std::vector<float> values;
  for_each_offset(tensor, [&](std::int64_t, std::int64_t offset) {
    values.push_back(static_cast<const float*>(data)[offset]);
  });
  return values;
}

std::vector<float> run(const Engine& engine, const Problem& problem,
                       const std::string& configuration, test::Inputs& inputs,
                       bool constant_weights = false) {
  Limits limits;
  limits.constant_weights = constant_weights;
  const auto prepared = engine.prepare(problem, limits, configuration);
  test::Workspace workspace(prepared->workspace_size());
  GuardedBuffer output(problem.output());
  inputs.reset(output);
  Operands operands = inputs.with_output(output.data());
  if (constant_weights) {
    // The weights are promised to be constant, but a call may still pass weights. For such a call
    // the workspace must have room for the transformed weights.
    prepared->execute(operands, workspace.data(), nullptr);
    inputs.reset(output);
    prepared->set_weights(operands.w);
    operands.w = nullptr;
  }
  prepared->execute(operands, workspace.data(), nullptr);
  EXPECT_FALSE(workspace.overrun()) << configuration;
  EXPECT_EQ(output.violation(), "") << configuration;
  return elements(problem.output(), output.data());
}

// Compares every element of the output with a result in double precision.
void expect_right(const Problem& problem, std::uint64_t seed) {
  SCOPED_TRACE(test::label(problem));
  const auto engine = make_winograd_engine();
  const std::vector<Offer> offers = offers_of(problem);
  ASSERT_EQ(offers.size(), 2u);
  const std::int64_t count = problem.output().elements();
  for (const Fill fill : {Fill::ternary, Fill::normal}) {
    test::Inputs inputs(problem, fill, seed);
    const reference::SampledReference expected(problem, inputs.with_old(), seed,
                                               Exactness::transformed,
                                               static_cast<std::size_t>(4 * count));
    for (const Offer& offer : offers) {
      SCOPED_TRACE(offer.configuration);
      const auto prepared = engine->prepare(problem, {}, offer.configuration);
      EXPECT_EQ(prepared->workspace_size(), offer.workspace);
      test::Workspace workspace(prepared->workspace_size());
      GuardedBuffer output(problem.output());
      inputs.reset(output);
      prepared->execute(inputs.with_output(output.data()), workspace.data(), nullptr);
      EXPECT_EQ(expected.check(output).reason, "");
      EXPECT_FALSE(workspace.overrun());
    }
  }
}

TEST(Winograd, EqualsTheReferenceOnDrawnProblems) {
  SKIP_WITHOUT_AVX2();
  std::uint64_t drawn = 0;
  const auto draw = [&](std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(mix(20261126, drawn++) %
                                           static_cast<std::uint64_t>(high - low + 1));
  };
  int checked = 0;
  while (checked < 300) {
    Spec spec;
    spec.direction = draw(0, 1) == 0 ? Direction::forward : Direction::backward_data;
    spec.batch = draw(1, 3);
    spec.groups = draw(0, 3) == 0 ? draw(2, 3) : 1;
    spec.channels_in = spec.groups * draw(8, 40);
    spec.channels_out = spec.groups * draw(8, 40);
    spec.in = {draw(1, 21), draw(1, 21), 1};
    spec.pad_low = {draw(0, 3), draw(0, 3), 0};
    spec.pad_high = {draw(0, 3), draw(0, 3), 0};
    const Memory memories[] = {Memory::first, Memory::last, Memory::strided};
    spec.x_memory = memories[draw(0, 2)];
    spec.w_memory = memories[draw(0, 2)];
    spec.y_memory = memories[draw(0, 2)];
    const Epilogue epilogues[] = {Epilogue::none, Epilogue::bias, Epilogue::bias_relu};
    spec.epilogue = epilogues[draw(0, 2)];
    if (!test::is_possible(spec)) continue;
    expect_right(test::build(spec), static_cast<std::uint64_t>(++checked));
    ASSERT_FALSE(HasFailure());
  }
}

// A row of the layer has several times as many tiles (the parts of the image that are transformed
// together) as the workspace holds at once.
TEST(Winograd, DividesALongRowOfTiles) {
  SKIP_WITHOUT_AVX2();
  Spec spec = layer(32, 32, 75);
  spec.in[1] = 70;
  expect_right(test::build(spec), 5);
}

TEST(Winograd, AnInfinityReachesTheOutputsThatItReachesInTheReference) {
  SKIP_WITHOUT_AVX2();
  const auto engine = make_winograd_engine(), reference = make_reference_engine();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kBad[] = {kInfinity, -kInfinity, std::nanf(""), 3e38F};
  for (const Memory memory : {Memory::first, Memory::last})
    for (const Direction direction : {Direction::forward, Direction::backward_data}) {
      Spec spec = layer(16, 24, 13);
      spec.direction = direction;
      spec.x_memory = spec.y_memory = memory;
      const Problem problem = test::build(spec);
      const bool is_gradient = direction == Direction::backward_data;
      const Tensor& input = is_gradient ? problem.y : problem.x;
      for (std::size_t i = 0; i < std::size(kBad); ++i)
        for (const bool in_weights : {false, true}) {
          test::Inputs inputs(problem, Fill::normal, 3);
          GuardedBuffer unused(problem.output());
          const Operands operands = inputs.with_output(unused.data());
          const Tensor& spoiled = in_weights ? problem.w : input;
          void* const data = in_weights ? operands.w : is_gradient ? operands.y : operands.x;
          const std::int64_t element = spoiled.elements() / 3 + 7;
          static_cast<float*>(data)[spoiled.offset_of(spoiled.index_of(element))] = kBad[i];
          const std::vector<float> expected = run(*reference, problem, "direct", inputs);
          for (const Offer& offer : offers_of(problem)) {
            const std::vector<float> got = run(*engine, problem, offer.configuration, inputs);
            std::size_t different = 0, bad = 0;
            for (std::size_t j = 0; j < got.size(); ++j) {
              different += std::isfinite(got[j]) != std::isfinite(expected[j]);
              bad += !std::isfinite(expected[j]);
            }
            EXPECT_EQ(different, 0u) << offer.configuration << ", " << kBad[i] << ", weights "
                                     << in_weights << ", " << bad << " of the reference";
          }
        }
    }
}

TEST(Winograd, HasTheSameBitsWithAnyNumberOfThreadsAndWithPackedWeights) {
  SKIP_WITHOUT_AVX2();
  const auto engine = make_winograd_engine();
  Spec spec = layer(40, 24, 30);
  spec.epilogue = Epilogue::bias;
  const Problem problem = test::build(spec);
  test::Inputs inputs(problem, Fill::normal, 9);
  for (const Offer& offer : offers_of(problem)) {
    test::use_threads(1);
    const std::vector<float> one = run(*engine, problem, offer.configuration, inputs);
    for (const int threads : {1, 2, 3, 5}) {
      test::use_threads(threads);
      EXPECT_EQ(run(*engine, problem, offer.configuration, inputs), one) << threads;
      EXPECT_EQ(run(*engine, problem, offer.configuration, inputs, true), one) << threads;
    }
  }
  test::use_threads(2);
}

TEST(Winograd, SaysWhyItDoesNotCompute) {
  SKIP_WITHOUT_AVX2();
  const auto why = [](Spec spec) {
    std::string text;
    EXPECT_TRUE(offers_of(test::build(spec), &text).empty());
    return text;
  };
  Spec strided = layer(16, 16, 9), wide = strided, few = strided, half = strided, old = strided,
       weight = strided;
  strided.stride = {2, 2, 1};
  EXPECT_THAT(why(strided), HasSubstr("stride 1"));
  wide.kernel = {5, 5, 1};
  EXPECT_THAT(why(wide), HasSubstr("3x3"));
  few.channels_in = 3;
  EXPECT_THAT(why(few), HasSubstr("from 8 channels in a group on, not 3"));
  half.x = half.w = half.y = Dtype::bf16;
  EXPECT_THAT(why(half), HasSubstr("f32"));
  old.accumulate = true;
  EXPECT_THAT(why(old), HasSubstr("old output"));
  weight.direction = Direction::backward_weight;
  EXPECT_THAT(why(weight), HasSubstr("backward-data"));
}

TEST(Winograd, RefusesAConfigurationThatItDoesNotHave) {
  SKIP_WITHOUT_AVX2();
  try {
    make_winograd_engine()->prepare(test::build(layer(16, 16, 9)), {}, "tile=6x6");
    FAIL() << "it was prepared";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::unsupported);
    EXPECT_THAT(error.what(), HasSubstr("tile=6x6"));
  }
}

}  // namespace
}  // namespace atc
