// A call of a forward convolution with scale, bias, residual and activation, and the result that it
// must have. The expected values are made from the result of the plain convolution, by formulas in
// this file.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "conv_call.hpp"

namespace atc_test {

struct Activation {
  const char* name;
  atc_activation number;
  std::function<double(double)> formula;
  float low = 0, high = 0, slope = 0;
};

inline const std::vector<Activation> kActivations = {
    {"none", ATC_ACTIVATION_NONE, [](double t) { return t; }},
    {"relu", ATC_ACTIVATION_RELU, [](double t) { return std::max(t, 0.0); }},
    {"relu6", ATC_ACTIVATION_RELU6, [](double t) { return std::min(std::max(t, 0.0), 6.0); }},
    {"clamp", ATC_ACTIVATION_CLAMP, [](double t) { return std::min(std::max(t, -0.5), 1.25); },
     -0.5F, 1.25F},
    {"silu", ATC_ACTIVATION_SILU, [](double t) { return t / (1 + std::exp(-t)); }},
    {"gelu", ATC_ACTIVATION_GELU,
     [](double t) { return t / 2 * (1 + std::erf(t / std::sqrt(2.0))); }},
    {"gelu_tanh", ATC_ACTIVATION_GELU_TANH,
     [](double t) {
       const double inner = std::sqrt(2 / std::acos(-1.0)) * (t + 0.044715 * t * t * t);
       return t / 2 * (1 + std::tanh(inner));
     }},
    {"hard_swish", ATC_ACTIVATION_HARD_SWISH,
     [](double t) { return t / 6 * std::min(std::max(t + 3, 0.0), 6.0); }},
    {"sigmoid", ATC_ACTIVATION_SIGMOID, [](double t) { return 1 / (1 + std::exp(-t)); }},
    {"leaky_relu", ATC_ACTIVATION_LEAKY_RELU, [](double t) { return t < 0 ? 0.125 * t : t; }, 0, 0,
     0.125F}};

inline void set(atc_conv_problem& problem, const Activation& activation) {
  problem.activation = activation.number;
  problem.activation_low = activation.low;
  problem.activation_high = activation.high;
  problem.activation_slope = activation.slope;
}

struct PostOpsCall : Call {
  Operand scale, residual;

  explicit PostOpsCall(const atc_conv_problem& given, atc_device device = kCpu)
      : Call(given), scale(given, ATC_OPERAND_SCALE, 5), residual(given, ATC_OPERAND_RESIDUAL, 6) {
    for (Operand* operand : {&x, &w, &bias, &y, &scale, &residual}) operand->view.device = device;
  }

  atc_conv_operands operands() const {
    atc_conv_operands operands = ATC_CONV_OPERANDS_INIT;
    operands.x = &x.view;
    operands.w = &w.view;
    operands.bias = bias_view();
    operands.y = &y.view;
    operands.scale = problem.scale != 0 ? &scale.view : nullptr;
    operands.residual = problem.residual != 0 ? &residual.view : nullptr;
    return operands;
  }
  atc_status eager() const {
    const atc_conv_operands all = operands();
    return atc_convolution_v2(&problem, &all, nullptr);
  }
  atc_status run(atc_conv_plan* plan) const {
    const atc_conv_operands all = operands();
    return atc_conv_plan_execute_v2(plan, &all, nullptr, 0, nullptr);
  }
};

// The tolerance for each element. The result has a sum of 36 products and fewer than 20 further
// roundings, and all numbers are at most 1. So the result errs by at most 56 * 38 * 2^-24 (Higham,
// Accuracy and Stability, 4.2). The result of the plain convolution may have the same error, hence
// the factor 2. No activation has a slope above 1.5.
inline constexpr double kTolerance = 2 * 1.5 * 56 * 38 * 0x1p-24;

// Expects the elements of y to be formula(t), where t is the sum with scale, bias and residual. The
// sum is that of a convolution without post-ops on the CPU.
inline void expect_formula(PostOpsCall& call, const std::function<double(double)>& formula,
                           const std::string& name) {
  atc_conv_problem plain = call.problem;
  plain.scale = plain.residual = plain.activation = 0;
  plain.activation_low = plain.activation_high = plain.activation_slope = 0;
  plain.epilogue = ATC_EPILOGUE_NONE;
  Call sums(plain);
  ASSERT_EQ(sums.eager(), ATC_OK) << atc_last_error();
  const auto& shape = sums.y.shape;
  for (std::int64_t n = 0; n < shape[0]; ++n)
    for (std::int64_t k = 0; k < shape[1]; ++k)
      for (std::int64_t h = 0; h < shape[2]; ++h)
        for (std::int64_t w = 0; w < shape[3]; ++w) {
          double t = sums.y.at({n, k, h, w});
          if (call.problem.scale != 0) t *= call.scale.at({k});
          if (call.problem.epilogue != ATC_EPILOGUE_NONE) t += call.bias.at({k});
          if (call.problem.residual != 0) t += call.residual.at({n, k, h, w});
          if (call.problem.epilogue == ATC_EPILOGUE_BIAS_RELU) t = std::max(t, 0.0);
          ASSERT_NEAR(call.y.at({n, k, h, w}), formula(t), kTolerance)
              << name << " at " << n << ' ' << k << ' ' << h << ' ' << w;
        }
}

}  // namespace atc_test
