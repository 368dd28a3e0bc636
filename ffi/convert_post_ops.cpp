#include "convert_post_ops.hpp"

#include <cmath>

#include "core/error.hpp"
#include "core/half.hpp"

namespace atc::ffi {

namespace {

void check_flag(std::int32_t value, const char* name) {
  if (value != 0 && value != 1)
    fail(Status::invalid_argument, "problem.{} is {}: use 0 or 1", name, value);
}

// Checks the lower or upper limit of the activation clamp: the limit must be finite after it was
// rounded to the output's data type. Throws Error(invalid_argument).
void check_limit(float limit, atc_dtype output, const char* name) {
  if (!std::isfinite(round_to(static_cast<Dtype>(output), limit)))
    fail(Status::invalid_argument, "problem.{} is {}: use a number within the range of the output",
         name, limit);
}

void check_unused(float value, const char* name, const char* activation) {
  if (value != 0 || std::isnan(value))
    fail(Status::invalid_argument, "problem.{} is {}, which only the activation {} has: use 0",
         name, value, activation);
}

void check_parameters(const atc_conv_problem& p) {
  if (p.activation == ATC_ACTIVATION_CLAMP) {
    check_limit(p.activation_low, p.y_dtype, "activation_low");
    check_limit(p.activation_high, p.y_dtype, "activation_high");
    if (p.activation_low > p.activation_high)
      fail(Status::invalid_argument,
           "problem.activation_low is {}, above problem.activation_high {}: exchange them",
           p.activation_low, p.activation_high);
  } else {
    check_unused(p.activation_low, "activation_low", "ATC_ACTIVATION_CLAMP");
    check_unused(p.activation_high, "activation_high", "ATC_ACTIVATION_CLAMP");
  }
  if (p.activation != ATC_ACTIVATION_LEAKY_RELU)
    check_unused(p.activation_slope, "activation_slope", "ATC_ACTIVATION_LEAKY_RELU");
  else if (!(p.activation_slope >= 0 && p.activation_slope <= 1))
    fail(Status::invalid_argument, "problem.activation_slope is {}: use 0 to 1",
         p.activation_slope);
}

Activation to_activation(const atc_conv_problem& p) {
  switch (p.activation) {
    case ATC_ACTIVATION_RELU:
      return {Function::relu};
    case ATC_ACTIVATION_RELU6:
      return {Function::clamp, 0, 6};
    case ATC_ACTIVATION_CLAMP:
      // + 0.0F turns a limit of -0 into +0, so that problems with these two limits are equal.
      return {Function::clamp, p.activation_low + 0.0F, p.activation_high + 0.0F};
    case ATC_ACTIVATION_SILU:
      return {Function::silu};
    case ATC_ACTIVATION_GELU:
      return {Function::gelu};
    case ATC_ACTIVATION_GELU_TANH:
      return {Function::gelu_tanh};
    case ATC_ACTIVATION_HARD_SWISH:
      return {Function::hard_swish};
    case ATC_ACTIVATION_SIGMOID:
      return {Function::sigmoid};
    case ATC_ACTIVATION_LEAKY_RELU:
      return {Function::leaky_relu, 0, 0, p.activation_slope + 0.0F};
    default:
      return {};
  }
}

atc_activation number_of(Function function) {
  switch (function) {
    case Function::none:
      return ATC_ACTIVATION_NONE;
    case Function::relu:
      return ATC_ACTIVATION_RELU;
    case Function::clamp:
      return ATC_ACTIVATION_CLAMP;
    case Function::silu:
      return ATC_ACTIVATION_SILU;
    case Function::gelu:
      return ATC_ACTIVATION_GELU;
    case Function::gelu_tanh:
      return ATC_ACTIVATION_GELU_TANH;
    case Function::hard_swish:
      return ATC_ACTIVATION_HARD_SWISH;
    case Function::sigmoid:
      return ATC_ACTIVATION_SIGMOID;
    case Function::leaky_relu:
      return ATC_ACTIVATION_LEAKY_RELU;
  }
  return ATC_ACTIVATION_NONE;
}

}  // namespace

void check_post_ops(const atc_conv_problem& p) {
  check_flag(p.scale, "scale");
  check_flag(p.residual, "residual");
  if (p.activation < ATC_ACTIVATION_NONE || p.activation > ATC_ACTIVATION_LEAKY_RELU)
    fail(Status::invalid_argument, "problem.activation is {}: use an activation (0 to 9)",
         p.activation);
  check_parameters(p);
  struct Part {
    std::int32_t value;
    const char* name;
  };
  for (const Part& part :
       {Part{p.scale, "scale"}, Part{p.residual, "residual"}, Part{p.activation, "activation"}}) {
    if (part.value == 0) continue;
    if (p.direction != ATC_FORWARD)
      fail(Status::invalid_argument,
           "problem.{} is {}: only the direction forward has post-ops, use 0", part.name,
           part.value);
    if (p.accumulate != 0)
      fail(Status::invalid_argument,
           "problem.accumulate is {} and problem.{} is {}: a problem with post-ops does not "
           "accumulate, pass the old output as the residual",
           p.accumulate, part.name, part.value);
  }
  if (p.activation != ATC_ACTIVATION_NONE && p.epilogue == ATC_EPILOGUE_BIAS_RELU)
    fail(Status::invalid_argument,
         "problem.activation is {}, but problem.epilogue has a ReLU already: use "
         "an epilogue with the bias alone",
         p.activation);
}

void set_post_ops(Problem& problem, const atc_conv_problem& p) {
  problem.epilogue = static_cast<Epilogue>(p.epilogue);
  problem.post_ops = {p.scale == 1, p.residual == 1, to_activation(p)};
  PostOps& post_ops = problem.post_ops;
  if (post_ops.scale || post_ops.residual) {
    if (problem.epilogue != Epilogue::bias_relu) return;
    problem.epilogue = Epilogue::bias;
    post_ops.activation = {Function::relu};
  } else if (problem.epilogue == Epilogue::bias && post_ops.activation.function == Function::relu) {
    problem.epilogue = Epilogue::bias_relu;
    post_ops = {};
  }
}

void write_post_ops(atc_conv_problem& p, const PostOps& post_ops) {
  p.scale = post_ops.scale ? 1 : 0;
  p.residual = post_ops.residual ? 1 : 0;
  p.activation = number_of(post_ops.activation.function);
  p.activation_low = post_ops.activation.low;
  p.activation_high = post_ops.activation.high;
  p.activation_slope = post_ops.activation.slope;
}

}  // namespace atc::ffi
