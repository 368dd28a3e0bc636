#include "support/expected.hpp"

#include <cmath>

#include "core/format.hpp"
#include "core/half.hpp"
#include "core/walk.hpp"
#include "engines/reference/reference_engine.hpp"
#include "engines/reference/tolerance.hpp"
#include "support/problems.hpp"

namespace atc::test {

namespace {

// A copy of a tensor in fp32 without gaps. fp32 represents the values of all three dtypes exactly.
struct Wide {
  Wide(const Tensor& tensor, const void* data, bool absolute)
      : shape(make_tensor(Dtype::f32, tensor.rank, tensor.shape, Memory::first)) {
    for_each_offset(tensor, [&](std::int64_t, std::int64_t offset) {
      const double value = load_element(data, tensor.dtype, offset);
      values.push_back(static_cast<float>(absolute ? std::fabs(value) : value));
    });
  }
  Tensor shape;
  std::vector<float> values;
};

// Returns the result of the problem in fp32. If `absolute` is true, the operands are replaced by
// their absolute values, and the activation is left out. Then each element is the sum of the
// magnitudes of its summands.
std::vector<float> wide_result(const Problem& problem, Inputs& inputs, bool absolute) {
  const Operands operands = inputs.with_old();
  Wide x(problem.x, operands.x, absolute), w(problem.w, operands.w, absolute),
      y(problem.y, operands.y, absolute);
  Problem wide = problem;
  wide.x = x.shape;
  wide.w = w.shape;
  wide.y = y.shape;
  std::vector<float> bias;
  if (problem.epilogue != Epilogue::none) {
    if (absolute) wide.epilogue = Epilogue::bias;
    Tensor of_bias;
    of_bias.dtype = problem.output().dtype;
    of_bias.rank = 1;
    of_bias.shape[0] = problem.output_channels();
    of_bias.strides[0] = 1;
    bias = Wide(of_bias, operands.bias, absolute).values;
  }
  if (absolute) wide.post_ops.activation = {};
  std::vector<float> residual;
  if (problem.post_ops.residual)
    residual = Wide(problem.output(), operands.residual, absolute).values;
  Operands all{x.values.data(), w.values.data(), bias.data(), y.values.data()};
  all.residual = residual.data();
  const auto engine = make_reference_engine();
  engine->prepare(wide, {}, "direct")->execute(all, nullptr, nullptr);
  switch (problem.direction) {
    case Direction::backward_data:
      return x.values;
    case Direction::backward_weight:
      return w.values;
    case Direction::forward:
      break;
  }
  return y.values;
}

// `sum` is the sum of the magnitudes of the summands of an element, before the activation. Returns
// the corresponding magnitude after the activation, from which the tolerance is computed. The
// activation multiplies an error of the sum by at most its largest slope. The 1 in the formula of
// the sigmoid counts as a further summand.
double magnitude_of(const Problem& problem, double sum) {
  const Function function = problem.post_ops.activation.function;
  return steepest(function) * sum + (function == Function::sigmoid ? 1 : 0);
}

}  // namespace

Expected::Expected(const Problem& problem, Inputs& inputs, Fill fill) : output_(problem.output()) {
  const std::vector<float> values = wide_result(problem, inputs, false);
  const bool exact = fill == Fill::ternary && reference::ternary_is_exact(problem);
  std::vector<float> magnitudes;
  if (!exact) magnitudes = wide_result(problem, inputs, true);
  const std::int64_t terms = reference::summands(problem);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double value = values[i];
    values_.push_back(exact ? round_to(output_.dtype, value) : value);
    // The expected value was rounded to fp32, so the tolerance includes one more rounding to fp32.
    tolerances_.push_back(exact ? 0
                                : reference::tolerance(terms, output_.dtype, value,
                                                       magnitude_of(problem, magnitudes[i])) +
                                      unit_roundoff(Dtype::f32) * std::fabs(value));
  }
}

std::string Expected::compare(const GuardedBuffer& output) const {
  if (std::string reason = output.violation(); !reason.empty()) return reason;
  std::string text;
  for_each_offset(output_, [&](std::int64_t logical, std::int64_t offset) {
    if (!text.empty()) return;
    const auto i = static_cast<std::size_t>(logical);
    const double got = load_element(output.data(), output_.dtype, offset);
    if (!(std::fabs(got - values_[i]) <= tolerances_[i]))
      text = atc::format("element {} is {:.9g}, expected {:.9g} within {:.3g}", logical, got,
                         values_[i], tolerances_[i]);
  });
  return text;
}

}  // namespace atc::test
