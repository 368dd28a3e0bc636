// Tests the functions that return which elements of the two inputs a convolution multiplies with
// each other. An Inf in an element must make the sums of its products infinite or NaN, and no other
// sums.
#include "engines/reference/pairs.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/half.hpp"
#include "engines/reference/position.hpp"
#include "support/grid.hpp"
#include "support/problems.hpp"
#include "support/tensors.hpp"

namespace atc {
namespace {

using reference::Index;

TEST(Pairs, BelongTogetherIfTheReferenceMultipliesThem) {
  std::size_t together = 0, apart = 0;
  for (const Problem& problem : test::make_grid(1, 21).problems) {
    if (problem.x.elements() == 0 || problem.flops() > 100000) continue;
    SCOPED_TRACE(test::label(problem));
    const Tensor& output = problem.output();
    for (const Tensor* const input : {&problem.x, &problem.w, &problem.y}) {
      if (input == &output) continue;
      for (const std::int64_t number : {std::int64_t{0}, input->elements() / 2,
                                        input->elements() * 2 / 3, input->elements() - 1}) {
        test::Inputs inputs(problem, test::Fill::ternary, 5);
        const Operands operands = inputs.with_old();
        const Index place = input->index_of(number);
        void* const data = input == &problem.x   ? operands.x
                           : input == &problem.w ? operands.w
                                                 : operands.y;
        store_element(data, input->dtype, input->offset_of(place),
                      std::numeric_limits<double>::quiet_NaN());
        const std::int64_t step = 1 + output.elements() / 50;
        for (std::int64_t other = 0; other < output.elements(); other += step) {
          const Index index = output.index_of(other);
          const auto operand = [&](const Tensor& of) {
            return &of == input ? &place : &of == &output ? &index : nullptr;
          };
          const bool found = reference::belong_together(
              problem, {operand(problem.x), operand(problem.w), operand(problem.y)});
          const double sum = reference::value_at(problem, operands, index).value;
          ASSERT_EQ(found, !std::isfinite(sum)) << number << " and " << other;
          ++(found ? together : apart);
        }
      }
    }
  }
  EXPECT_GT(together, 1000u);
  EXPECT_GT(apart, 1000u);
}

}  // namespace
}  // namespace atc
