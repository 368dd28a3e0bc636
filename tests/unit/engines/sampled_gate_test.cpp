// Tests the check that compares sampled elements of an output with the reference. It must accept
// right results and refuse wrong results, and its text must name the kind of fault.
#include "engines/reference/sampled_gate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>

#include "core/half.hpp"
#include "engines/reference/reference_engine.hpp"
#include "engines/reference/samples.hpp"
#include "engines/reference/tolerance.hpp"
#include "support/problems.hpp"
#include "support/tensors.hpp"

namespace atc {
namespace {

using reference::SampledReference;
using test::Fill;
using test::Memory;
using test::Spec;
using ::testing::HasSubstr;

// A problem with its right output in a guarded buffer. Tests change elements of the output.
struct Case {
  explicit Case(const Spec& spec, Fill fill = Fill::normal)
      : problem(test::build(spec)), inputs(problem, fill, 11), output(problem.output()) {
    inputs.reset(output);
    make_reference_engine()
        ->prepare(problem, {}, "direct")
        ->execute(inputs.with_output(output.data()), nullptr, nullptr);
  }
  SampledReference reference(Exactness exactness, std::size_t positions = 0) {
    return SampledReference(problem, inputs.with_old(), 3, exactness, positions);
  }
  std::string check(Exactness exactness) { return reference(exactness).check(output).reason; }

  Problem problem;
  test::Inputs inputs;
  GuardedBuffer output;
};

Spec big() {
  Spec spec;
  spec.batch = 4;
  spec.channels_in = 8;
  spec.channels_out = 24;
  spec.groups = 4;
  spec.in = {20, 24, 1};
  spec.pad_low = spec.pad_high = {1, 1, 0};
  return spec;
}

// For algorithms that transform the operands (such as Winograd), the error bound of a single
// element is wide. If many elements have larger errors than by rounding, the bound on the root mean
// square of the errors finds this.
TEST(SampledGate, ATransformMayErrByItsRoundingAndIsHeldToItsClass) {
  Spec spec = big();
  spec.groups = 1;
  spec.channels_in = 64;
  Case c(spec, Fill::ternary);
  auto* const values = reinterpret_cast<float*>(c.output.data());
  const std::int64_t elements = c.problem.output().elements();
  const auto spoil = [&](float by) {
    for (std::int64_t i = 0; i < elements; ++i) values[i] += i % 2 == 0 ? by : -by;
  };
  // A sum of 256 summands of magnitude 1 has a usual magnitude of 16 (the scale). spoil() changes
  // each element of the output by 3e-5, which is 2e-6 of the scale.
  spoil(3e-5f);
  EXPECT_THAT(c.check(Exactness::exact), HasSubstr("the reference says"));
  EXPECT_EQ(c.check(Exactness::transformed), "");
  spoil(0.01f);  // a change of 6e-4 of the scale (16) is five times the limit of fp32
  EXPECT_THAT(c.check(Exactness::transformed), HasSubstr("less precision than is allowed"));
}

TEST(SampledGate, PassesTheReference) {
  for (Direction direction :
       {Direction::forward, Direction::backward_data, Direction::backward_weight})
    for (Dtype dtype : {Dtype::f32, Dtype::bf16, Dtype::f16})
      for (bool accumulate : {false, true})
        for (Memory memory : {Memory::first, Memory::strided}) {
          Spec spec = big();
          spec.direction = direction;
          spec.x = spec.w = spec.y = dtype;
          spec.accumulate = accumulate;
          spec.x_memory = spec.w_memory = spec.y_memory = memory;
          if (direction != Direction::backward_weight) spec.epilogue = Epilogue::bias_relu;
          SCOPED_TRACE(test::label(test::build(spec)));
          EXPECT_EQ(Case(spec, Fill::ternary).check(Exactness::exact), "");
          EXPECT_EQ(Case(spec, Fill::normal).check(Exactness::bounded), "");
        }
}

TEST(SampledGate, LooksAtCornersEdgesAndEveryGroup) {
  Spec spec;
  spec.spatial = 3;
  spec.batch = 3;
  spec.channels_in = spec.groups = 512;
  spec.channels_out = 1024;
  spec.in = {9, 10, 11};
  spec.kernel = {1, 1, 1};
  const Problem problem = test::build(spec);
  const Tensor& tensor = problem.y;
  const auto positions = reference::sample_positions(problem, 1024, 5);
  EXPECT_GE(positions.size(), 1024u);
  EXPECT_TRUE(std::is_sorted(positions.begin(), positions.end()));
  EXPECT_EQ(std::set<std::int64_t>(positions.begin(), positions.end()).size(), positions.size());
  std::set<std::int64_t> groups;
  // The classes of the sampled positions. A class says for each dimension whether the position is
  // the first, an inner or the last one.
  std::set<std::array<int, 5>> classes;
  for (std::int64_t position : positions) {
    ASSERT_LT(position, tensor.elements());
    std::array<int, 5> kind;
    for (int dim = 4; dim >= 0; --dim) {
      const std::int64_t at = position % tensor.shape[dim];
      position /= tensor.shape[dim];
      kind[dim] = at == 0 ? 0 : at == tensor.shape[dim] - 1 ? 2 : 1;
      if (dim == 1) groups.insert(at / 2);
    }
    classes.insert(kind);
  }
  // the samples must be in all 512 groups; 1,024 random samples would miss about 70 groups
  EXPECT_EQ(groups.size(), 512u);
  // The output has five dimensions. The samples must contain all of its 2^5 corners, and every
  // other combination of a first, an inner or the last position in each dimension.
  std::size_t corners = 0;
  for (const auto& kind : classes)
    corners += std::none_of(kind.begin(), kind.end(), [](int at) { return at == 1; });
  EXPECT_EQ(corners, 32u);
  EXPECT_EQ(classes.size(), 243u);
}

// Depthwise layers of real networks can have more groups than the check has samples by default for
// backward-weight. A fault in a single group must be found nevertheless.
TEST(SampledGate, LooksAtEveryGroupHoweverManyThereAre) {
  for (Direction direction : {Direction::forward, Direction::backward_weight}) {
    const bool forward = direction == Direction::forward;
    Spec spec;
    spec.batch = 1;
    spec.groups = spec.channels_in = spec.channels_out = forward ? 1200 : 960;
    spec.in = {7, 5, 1};
    spec.direction = direction;
    Case c(spec, Fill::ternary);
    const auto trusted = c.reference(Exactness::exact);
    ASSERT_EQ(trusted.check(c.output).reason, "");
    EXPECT_LT(trusted.positions(), static_cast<std::size_t>(c.problem.output().elements()));
    // Makes all elements of one group of the output wrong. Does this for each group in turn.
    const std::int64_t plane = c.problem.output().elements() / spec.groups;
    float* const output = static_cast<float*>(c.output.data());
    std::int64_t missed = 0;
    for (std::int64_t group = 0; group < spec.groups; ++group) {
      for (std::int64_t i = 0; i < plane; ++i) output[group * plane + i] += 1;
      missed += trusted.check_samples(output).passed;
      for (std::int64_t i = 0; i < plane; ++i) output[group * plane + i] -= 1;
    }
    EXPECT_EQ(missed, 0) << "of " << spec.groups;
  }
}

TEST(SampledGate, TakesAllPositionsOfASmallOutputAndFewerOfWeights) {
  Spec spec;
  EXPECT_EQ(Case(spec).reference(Exactness::bounded).positions(),
            static_cast<std::size_t>(test::build(spec).y.elements()));
  spec = big();
  EXPECT_GE(Case(spec).reference(Exactness::bounded).positions(), 1024u);
  spec.channels_in = spec.channels_out = 40;
  spec.direction = Direction::backward_weight;
  const std::size_t positions = Case(spec).reference(Exactness::bounded).positions();
  EXPECT_GE(positions, 256u);
  EXPECT_LT(positions, 1024u);
}

// In each image, all elements of the last group (the channels 18 to 23) are replaced by 1. The
// check must find this.
TEST(SampledGate, FindsOneWrongGroup) {
  Case c(big(), Fill::ternary);
  float* y = static_cast<float*>(c.output.data());
  const std::int64_t plane = c.problem.y.strides[1];
  for (std::int64_t n = 0; n < 4; ++n)
    for (std::int64_t k = 18; k < 24; ++k)
      for (std::int64_t i = 0; i < plane; ++i) y[n * c.problem.y.strides[0] + k * plane + i] = 1;
  EXPECT_THAT(c.check(Exactness::exact), HasSubstr("the reference says"));
}

TEST(SampledGate, FindsAWrongLastColumn) {
  Case c(big(), Fill::normal);
  float* y = static_cast<float*>(c.output.data());
  const std::int64_t width = c.problem.out(1), rows = c.problem.y.elements() / width;
  for (std::int64_t row = 0; row < rows; ++row) y[row * width + width - 1] *= 1.001f;
  EXPECT_THAT(c.check(Exactness::bounded), HasSubstr("the reference says"));
}

// The elements of x are rounded to 11 significant bits, as in TF32. The errors of the result are
// then larger than fp32 allows.
TEST(SampledGate, FindsReducedPrecisionFactors) {
  Spec spec = big();
  Case right(spec, Fill::normal);
  const auto reference = right.reference(Exactness::bounded);
  test::Inputs cut(right.problem, Fill::normal, 11);
  GuardedBuffer output(right.problem.y);
  const Operands operands = cut.with_output(output.data());
  for (std::int64_t i = 0; i < right.problem.x.elements(); ++i)
    store_element(operands.x, Dtype::f32, i,
                  round_to(Dtype::f16, load_element(operands.x, Dtype::f32, i)));
  make_reference_engine()
      ->prepare(right.problem, {}, "direct")
      ->execute(operands, nullptr, nullptr);
  EXPECT_FALSE(reference.check(output).passed);
}

TEST(SampledGate, ExactnessSeesOneUnitInTheLastPlace) {
  Spec spec;  // the problem is so small that every position is sampled
  Case c(spec, Fill::ternary);
  float* y = static_cast<float*>(c.output.data());
  y[40] = std::nextafter(y[40] == 0 ? 1.0f : y[40], 100.0f);
  EXPECT_THAT(c.check(Exactness::exact), HasSubstr("element 40"));
}

TEST(SampledGate, NamesWhatIsUnwrittenNaNOrInfinite) {
  struct Spoilt {
    float value;
    const char* word;
  };
  float pattern;
  const std::uint16_t words[2] = {GuardedBuffer::kPattern, GuardedBuffer::kPattern};
  std::memcpy(&pattern, words, sizeof pattern);
  for (const Spoilt& spoilt :
       {Spoilt{pattern, "never written"}, Spoilt{std::numeric_limits<float>::quiet_NaN(), "is NaN"},
        Spoilt{-std::numeric_limits<float>::infinity(), "infinite"}}) {
    Case c(big());
    // Changes an element in the middle of the output to an unwritten value, NaN or infinity. The
    // gate may not have sampled this element, but must find such a value in each element.
    static_cast<float*>(c.output.data())[20001] = spoilt.value;
    EXPECT_THAT(c.check(Exactness::bounded), HasSubstr(spoilt.word));
    EXPECT_THAT(c.check(Exactness::bounded), HasSubstr("20001"));
  }
}

TEST(SampledGate, NamesWritesOutside) {
  {
    Case c(big());
    static_cast<float*>(c.output.data())[-1] = 0;
    EXPECT_THAT(c.check(Exactness::bounded), HasSubstr("before the start"));
  }
  {
    Case c(big());
    static_cast<float*>(c.output.data())[c.problem.y.span() + 100] = 0;
    EXPECT_THAT(c.check(Exactness::bounded), HasSubstr("after the end"));
  }
  {
    Spec spec = big();
    spec.y = Dtype::bf16;
    spec.y_memory = Memory::strided;
    Case c(spec);
    static_cast<std::uint16_t*>(c.output.data())[3] = 0;
    EXPECT_THAT(c.check(Exactness::bounded), HasSubstr("gap"));
  }
}

TEST(Tolerance, GrowsWithTheSumAndIsFarBelowReducedPrecision) {
  using reference::tolerance;
  // Higham's constant gamma_m, the bound of the relative rounding error of a sum of m = 1000 terms.
  const double gamma = 1000 * 0x1p-24 / (1 - 1000 * 0x1p-24);
  EXPECT_NEAR(tolerance(1000, Dtype::f32, 5, 700), gamma * 700, 1e-12);
  EXPECT_NEAR(tolerance(1000, Dtype::bf16, 5, 700), gamma * 700 + (5 + gamma * 700) * 0x1p-8,
              1e-12);
  EXPECT_GE(tolerance(1, Dtype::f16, 0, 0), 0x1p-25);
}

}  // namespace
}  // namespace atc
