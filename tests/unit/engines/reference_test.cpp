// Tests the reference engine against the definition of a convolution, and against the identities
// that connect the three directions.
#include "engines/reference/reference_engine.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "core/error.hpp"
#include "core/fill.hpp"
#include "core/half.hpp"
#include "core/walk.hpp"
#include "engines/reference/position.hpp"
#include "engines/reference/tolerance.hpp"
#include "naive.hpp"
#include "support/grid.hpp"
#include "support/problems.hpp"
#include "support/tensors.hpp"

namespace atc {
namespace {

using test::Fill;
using test::Memory;
using test::Spec;

std::unique_ptr<Prepared> prepare(const Problem& problem) {
  return make_reference_engine()->prepare(problem, {}, "direct");
}

std::vector<double> elements(const Tensor& tensor, const void* data) {
  std::vector<double> values;
  for_each_offset(tensor, [&](std::int64_t, std::int64_t offset) {
    values.push_back(load_element(data, tensor.dtype, offset));
  });
  return values;
}

// Compares the engine with naive(), which computes by the definition. naive() is slow, so only the
// small problems of the grid are compared.
TEST(Reference, EqualsTheDefinitionOnTheGrid) {
  const test::Grid grid = test::make_grid(1, 77);
  std::size_t compared = 0;
  for (std::size_t i = 0; i < grid.problems.size(); ++i) {
    const Problem& problem = grid.problems[i];
    if (static_cast<double>(problem.flops()) > 60000) continue;
    SCOPED_TRACE(test::label(problem));
    for (Fill fill : {Fill::ternary, Fill::normal}) {
      test::Inputs inputs(problem, fill, i);
      GuardedBuffer output(problem.output());
      inputs.reset(output);
      const std::vector<double> expected = test::naive(problem, inputs.with_old());
      prepare(problem)->execute(inputs.with_output(output.data()), nullptr, nullptr);
      ASSERT_EQ(output.violation(), "");
      ASSERT_EQ(output.bad_element(), "");
      const std::vector<double> got = elements(problem.output(), output.data());
      ASSERT_EQ(got.size(), expected.size());
      const Dtype dtype = problem.output().dtype;
      // The reference engine and naive() add in double, in different orders. Each sum differs from
      // the exact one by at most gamma_m times the sum of the magnitudes of its m summands, each of
      // which is below 3.5^2. So the results, rounded to the output's dtype, can only differ if the
      // sum lies this close to the middle between two values of the dtype.
      const auto m = static_cast<double>(reference::summands(problem));
      const double slack = 2 * m * 0x1p-53 * m * 3.5 * 3.5;
      for (std::size_t j = 0; j < got.size(); ++j) {
        const double low = round_to(dtype, expected[j] - slack);
        const double high = round_to(dtype, expected[j] + slack);
        if (fill == Fill::ternary)
          ASSERT_EQ(got[j], round_to(dtype, expected[j])) << j;
        else
          ASSERT_TRUE(low <= got[j] && got[j] <= high)
              << j << ": " << got[j] << ", " << expected[j];
      }
    }
    ++compared;
  }
  std::printf("%zu problems compared with the definition\n", compared);
  EXPECT_GE(compared, 800u);
}

TEST(Reference, OnePositionEqualsTheWholeOutput) {
  const test::Grid grid = test::make_grid(1, 78);
  std::size_t compared = 0;
  for (std::size_t i = 0; i < grid.problems.size(); i += 3) {
    const Problem& problem = grid.problems[i];
    SCOPED_TRACE(test::label(problem));
    test::Inputs inputs(problem, Fill::ternary, i);
    GuardedBuffer output(problem.output());
    inputs.reset(output);
    const Operands old = inputs.with_old();
    prepare(problem)->execute(inputs.with_output(output.data()), nullptr, nullptr);
    const Tensor& tensor = problem.output();
    for_each_offset(tensor, [&](std::int64_t logical, std::int64_t offset) {
      if (logical % 7 != 0) return;
      const auto [value, magnitude, energy, fresh] =
          reference::value_at(problem, old, tensor.index_of(logical));
      EXPECT_EQ(round_to(tensor.dtype, value), load_element(output.data(), tensor.dtype, offset));
      // Ternary summands are -1, 0 or 1. So the sum of their magnitudes is at most their number,
      // and at least the magnitude of their sum.
      EXPECT_LE(std::fabs(value), magnitude);
      EXPECT_LE(magnitude, static_cast<double>(reference::summands(problem)));
      EXPECT_EQ(energy, magnitude);
      ++compared;
    });
  }
  EXPECT_GT(compared, 10000u);
}

// <conv(x, w), y> = <x, conv^T(y, w)> = <w, conv^W(x, y)>, because all three are the sum of x * w *
// y over the same triples. The operands are integers, so the three sums are exactly equal.
TEST(Reference, DirectionsAreAdjoint) {
  const test::Grid grid = test::make_grid(1, 79);
  std::size_t compared = 0;
  for (std::size_t i = 0; i < grid.problems.size(); ++i) {
    Problem problem = grid.problems[i];
    if (problem.direction != Direction::forward || problem.batch() == 0) continue;
    problem.epilogue = Epilogue::none;
    problem.accumulate = false;
    problem.x.dtype = problem.w.dtype = problem.y.dtype = Dtype::f32;
    SCOPED_TRACE(test::label(problem));
    test::Buffer x(problem.x), w(problem.w), y(problem.y);
    fill_ternary(problem.x, x.data(), 3 * i);
    fill_ternary(problem.w, w.data(), 3 * i + 1);
    fill_ternary(problem.y, y.data(), 3 * i + 2);
    double products[3];
    int next = 0;
    for (Direction direction :
         {Direction::forward, Direction::backward_data, Direction::backward_weight}) {
      problem.direction = direction;
      test::Buffer result(problem.output());
      Operands operands{x.data(), w.data(), nullptr, y.data()};
      test::Buffer* other = &y;
      switch (direction) {
        case Direction::forward:
          operands.y = result.data();
          break;
        case Direction::backward_data:
          operands.x = result.data();
          other = &x;
          break;
        case Direction::backward_weight:
          operands.w = result.data();
          other = &w;
          break;
      }
      prepare(problem)->execute(operands, nullptr, nullptr);
      const std::vector<double> a = result.values(), b = other->values();
      products[next++] = std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
    }
    EXPECT_EQ(products[0], products[1]);
    EXPECT_EQ(products[0], products[2]);
    ++compared;
  }
  EXPECT_GE(compared, 400u);
}

TEST(Reference, RoundsOnceAtTheEnd) {
  // The exact result, the old value plus the convolution, is 1 + 2^-8 + 2^-20. It lies a little
  // above the middle between two bf16 values, so it must be rounded up. It would be rounded down if
  // the sum were first cut to fewer bits, or if the old value and the convolution were rounded
  // separately.
  Spec spec;
  spec.spatial = 1;
  spec.batch = spec.channels_out = 1;
  spec.channels_in = 2;
  spec.in = spec.kernel = {1, 1, 1};
  spec.y = Dtype::bf16;
  spec.accumulate = true;
  float x[2] = {0x1p-8f, 0x1p-20f}, w[2] = {1, 1};
  std::uint16_t y = bf16_from_double(1);
  prepare(test::build(spec))->execute({x, w, nullptr, &y}, nullptr, nullptr);
  EXPECT_EQ(bf16_to_float(y), 1 + 0x1p-7f);
}

TEST(Reference, ReluComesAfterBiasAndOldValue) {
  Spec spec;
  spec.spatial = 1;
  spec.batch = spec.channels_out = spec.channels_in = 1;
  spec.in = {2, 1, 1};
  spec.kernel = {1, 1, 1};
  spec.epilogue = Epilogue::bias_relu;
  spec.accumulate = true;
  // the sums w * x + bias + old y are -3 + 1 + 4 = 2 and -3 + 1 + 1 = -1
  float x[2] = {1, 1}, w = -3, bias = 1, y[2] = {4, 1};
  prepare(test::build(spec))->execute({x, &w, &bias, y}, nullptr, nullptr);
  EXPECT_EQ(y[0], 2);
  EXPECT_EQ(y[1], 0);
}

TEST(Reference, AnEmptyBatchGivesZeroWeightGradients) {
  Spec spec;
  spec.direction = Direction::backward_weight;
  spec.batch = 0;
  const Problem problem = test::build(spec);
  test::Buffer w(problem.w);
  prepare(problem)->execute({nullptr, w.data(), nullptr, nullptr}, nullptr, nullptr);
  for (double value : w.values()) EXPECT_EQ(value, 0);
  spec.direction = Direction::forward;
  test::Buffer weights(problem.w);
  prepare(test::build(spec))
      ->execute({nullptr, weights.data(), nullptr, nullptr}, nullptr, nullptr);
}

TEST(Reference, SetWeightsReadsTheBufferBeforeItReturns) {
  Spec spec;
  spec.w = Dtype::f16;
  spec.w_memory = Memory::strided;
  const Problem problem = test::build(spec);
  test::Inputs inputs(problem, Fill::normal, 1);
  GuardedBuffer plain(problem.y), packed(problem.y);
  Operands operands = inputs.with_output(plain.data());
  const auto prepared = prepare(problem);
  prepared->execute(operands, nullptr, nullptr);
  prepared->set_weights(operands.w);
  // Changes the weights. The change must have no effect on the second execution, because the
  // prepared convolution has a copy of the old weights.
  fill_ternary(problem.w, operands.w, 9);
  operands.w = nullptr;
  operands.y = packed.data();
  prepared->execute(operands, nullptr, nullptr);
  EXPECT_EQ(elements(problem.y, plain.data()), elements(problem.y, packed.data()));
}

template <typename F>
Status status_of(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.status();
  }
  return Status::ok;
}

TEST(Reference, RefusesWhatItDoesNotKnow) {
  const Problem problem = test::build(Spec{});
  EXPECT_EQ(status_of([&] { make_reference_engine()->prepare(problem, {}, "winograd"); }),
            Status::unsupported);
  test::Inputs inputs(problem, Fill::ternary, 1);
  GuardedBuffer output(problem.y);
  Operands operands = inputs.with_output(output.data());
  operands.w = nullptr;
  EXPECT_EQ(status_of([&] { prepare(problem)->execute(operands, nullptr, nullptr); }),
            Status::invalid_argument);
}

}  // namespace
}  // namespace atc
