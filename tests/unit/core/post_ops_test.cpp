// Tests the activations of post-ops: known values, NaN, and the upper bounds of their slopes.
#include "core/post_ops.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace atc {
namespace {

constexpr Function kAll[] = {Function::none,       Function::relu,    Function::clamp,
                             Function::silu,       Function::gelu,    Function::gelu_tanh,
                             Function::hard_swish, Function::sigmoid, Function::leaky_relu};

Activation activation_of(Function function) {
  Activation activation{function};
  if (function == Function::clamp) activation.low = -1.5F, activation.high = 2;
  if (function == Function::leaky_relu) activation.slope = 0.25F;
  return activation;
}

// The known values of the activations are given with 10 digits.
TEST(PostOps, ActivationsHaveKnownValues) {
  struct Known {
    Function function;
    double at_minus_two, at_half;
  };
  for (const Known& known :
       {Known{Function::none, -2, 0.5}, Known{Function::relu, 0, 0.5},
        Known{Function::clamp, -1.5, 0.5}, Known{Function::silu, -0.2384058440, 0.3112296656},
        Known{Function::gelu, -0.0455002639, 0.3457312306},
        Known{Function::gelu_tanh, -0.0454023059, 0.3457140098},
        Known{Function::hard_swish, -1.0 / 3, 0.2916666667},
        Known{Function::sigmoid, 0.1192029220, 0.6224593312},
        Known{Function::leaky_relu, -0.5, 0.5}}) {
    const Activation activation = activation_of(known.function);
    EXPECT_NEAR(activated(activation, -2.0), known.at_minus_two, 1e-9) << name_of(known.function);
    EXPECT_NEAR(activated(activation, 0.5), known.at_half, 1e-9) << name_of(known.function);
    // In fp32 the result of an activation has the errors of a few roundings of numbers up to 2.
    EXPECT_NEAR(activated(activation, -2.0F), known.at_minus_two, 0x1p-20)
        << name_of(known.function);
    EXPECT_NEAR(activated(activation, 0.5F), known.at_half, 0x1p-20) << name_of(known.function);
  }
}

TEST(PostOps, KeepsNan) {
  for (const Function function : kAll) {
    const Activation activation = activation_of(function);
    EXPECT_TRUE(std::isnan(activated(activation, std::nan("")))) << name_of(function);
    EXPECT_TRUE(std::isnan(activated(activation, std::nanf("")))) << name_of(function);
  }
}

// steepest() must be an upper bound of the activation's slope. It must not be much larger than the
// largest slope, because the tolerance of results grows with it, and would hide wrong results.
TEST(PostOps, KnowsTheSteepestSlope) {
  constexpr double kStep = 1.0 / 1024;
  for (const Function function : kAll) {
    const Activation activation = activation_of(function);
    double steepest_found = 0;
    for (double t = -20; t < 20; t += kStep) {
      const double rise = activated(activation, t + kStep) - activated(activation, t);
      steepest_found = std::max(steepest_found, std::fabs(rise) / kStep);
    }
    EXPECT_LE(steepest_found, steepest(function) + 1e-9) << name_of(function);
    EXPECT_GE(steepest_found, 0.99 * steepest(function)) << name_of(function);
  }
}

// The tolerance for operands of -1, 0 and 1 (ternary_margin in engines/reference/tolerance.hpp)
// relies on this bound.
TEST(PostOps, EnlargesARoundedSumByLittle) {
  constexpr double kStep = 1.0 / 1024;
  for (const Function function : kAll) {
    const Activation activation = activation_of(function);
    for (double t = -200; t < 200; t += kStep) {
      const double here = activated(activation, t);
      const double slope = std::fabs(activated(activation, t + kStep) - here) / kStep;
      // `slope` is computed as a finite difference, so 1e-2 is allowed in addition.
      ASSERT_LE(slope * (std::fabs(t) + 2), 3 * std::fabs(here) + 3 + 1e-2)
          << name_of(function) << " at " << t;
    }
  }
}

TEST(PostOps, IsDescribed) {
  EXPECT_EQ(describe(PostOps{}), "");
  EXPECT_EQ(describe(PostOps{true, true, {Function::clamp, 0, 6}}), " *scale +residual clamp 0:6");
  EXPECT_EQ(describe(PostOps{false, false, {Function::leaky_relu, 0, 0, 0.5F}}), " leaky-relu 0.5");
}

}  // namespace
}  // namespace atc
