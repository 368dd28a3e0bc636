#include "engines/reference/tolerance.hpp"

#include <algorithm>
#include <cmath>

namespace atc::reference {

namespace {

// Returns the largest error that rounding a number near zero can have. For f16 it is half of the
// distance between neighbouring numbers. For f32 and bf16 it is the smallest normal number (the
// same for both), because a processor may replace smaller numbers (subnormals) by zero.
double least_error(Dtype dtype) {
  switch (dtype) {
    case Dtype::f32:
    case Dtype::bf16:
      return 0x1p-126;
    case Dtype::f16:
      return 0x1p-25;
  }
  return 0;
}

// Returns the root mean square error that the class `reduced` allows in addition because partial
// sums are rounded, as a multiple of sqrt(sum summand^2). Partial sums are rounded to the least
// precise type of the problem, or to the 11 bits of TF32 if all types are f32. Returns 0 for the
// other classes.
double partial_sums(Precision precision, const Problem& problem) {
  if (precision != Precision::reduced) return 0;
  constexpr double kPartialSums = 16, kTf32 = 0x1p-11;
  const double unit = std::max({unit_roundoff(problem.x.dtype), unit_roundoff(problem.w.dtype),
                                unit_roundoff(problem.y.dtype), kTf32});
  return kPartialSums * unit;
}

}  // namespace

double tolerance(std::int64_t summands, Dtype output, double value, double magnitude,
                 Precision precision, double fresh) {
  constexpr double kUnit = unit_roundoff(Dtype::f32);
  const auto m = static_cast<double>(summands);
  const double gamma = m * kUnit < 1 ? m * kUnit / (1 - m * kUnit) : 1;
  constexpr double kFactors = 2 * 0x1p-10 + 0x1p-20;
  const double products = precision == Precision::fp32 ? 0 : kFactors;
  const double sum_error = (gamma * (1 + products) + products) * magnitude + m * 0x1p-126;
  // If the output is f32, the engine adds in the output's type. Then the rounding to the output is
  // one of the m roundings of the sum (tolerance.hpp), and must not be counted again.
  const double rounding =
      output == Dtype::f32 ? 0 : unit_roundoff(output) * (std::fabs(value) + sum_error);
  const double first_rounding =
      fresh == 0 || output == Dtype::f32
          ? 0
          : unit_roundoff(output) * (std::fabs(fresh) + sum_error) * (1 + unit_roundoff(output));
  return sum_error + rounding + first_rounding + least_error(output);
}

double transform_tolerance(std::int64_t products, double largest) {
  constexpr double kUnit = unit_roundoff(Dtype::f32), kTransforms = 2304, kSteps = 32;
  const auto terms = static_cast<double>(products);
  return (terms + kSteps) * kUnit * kTransforms * terms * largest * largest;
}

Margin ternary_margin(const Problem& problem, Exactness exactness, Precision precision) {
  if (is_held_to_equality(problem, exactness, precision)) return {};
  const Dtype dtype = problem.output().dtype;
  const std::int64_t terms = summands(problem);
  const Function function = problem.post_ops.activation.function;
  const bool is_active = function != Function::none;
  const double unit = unit_roundoff(dtype), slope = steepest(function);
  // For the sigmoid, the 1 in its formula counts as a summand. The slope of the sigmoid is below 1,
  // but it does not reduce the error of this summand. So the factor is at least 1.
  const double magnitude = std::max(slope, 1.0) * static_cast<double>(terms);
  const double fresh = is_active ? 3 : 2, rounded = is_active ? 5 : 3;
  Margin margin;
  margin.absolute =
      tolerance(terms, dtype, 0, magnitude, precision, may_round_before(problem) ? fresh : 0);
  margin.relative = unit * (rounded + unit * (fresh - 1)) / (1 - unit);
  margin.absolute += reduced_tolerance(precision, problem, slope * slope * magnitude);
  if (exactness == Exactness::transformed)
    margin.absolute += slope * transform_tolerance(problem.reduction_length(), 1);
  return margin;
}

double class_limit(Precision precision, const Problem& problem) {
  const Dtype output = problem.output().dtype;
  const double arithmetic = precision == Precision::fp32 ? 0x1p-13 : 0x1.8p-10;
  return arithmetic + (output == Dtype::f32 ? 0 : unit_roundoff(output)) +
         partial_sums(precision, problem);
}

double reduced_tolerance(Precision precision, const Problem& problem, double energy) {
  constexpr double kDeviations = 8;
  return kDeviations * partial_sums(precision, problem) * std::sqrt(energy);
}

bool is_held_to_equality(const Problem& problem, Exactness exactness, Precision precision) {
  return exactness == Exactness::exact && precision != Precision::reduced &&
         ternary_is_exact(problem);
}

std::int64_t summands(const Problem& problem) {
  // If the activation is computed by functions of the C library, at most this many roundings happen
  // in it.
  constexpr std::int64_t kOfActivation = 16;
  const PostOps& post_ops = problem.post_ops;
  const std::int64_t terms = problem.reduction_length() + (problem.epilogue != Epilogue::none) +
                             problem.accumulate + post_ops.scale + post_ops.residual;
  return keeps_integers(post_ops.activation.function) ? terms : terms + kOfActivation;
}

bool may_round_before(const Problem& problem) {
  return problem.accumulate || problem.epilogue != Epilogue::none || problem.post_ops.any();
}

bool ternary_is_exact(const Problem& problem) {
  const Dtype output = problem.output().dtype;
  const double most =
      1 / unit_roundoff(problem.accumulate && output != Dtype::f32 ? output : Dtype::f32);
  return keeps_integers(problem.post_ops.activation.function) &&
         static_cast<double>(summands(problem)) < most;
}

}  // namespace atc::reference
