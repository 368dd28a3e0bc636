// Tests scale, bias, residual and activation of a forward convolution through the C ABI. The
// expected values are made from the result of the plain convolution, by formulas in this file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "post_ops_call.hpp"

namespace {

using namespace atc_test;
using testing::AllOf;
using testing::HasSubstr;

using PlanPtr = std::unique_ptr<atc_conv_plan, PlanDeleter>;

std::vector<atc_conv_problem> forms() {
  std::vector<atc_conv_problem> forms;
  for (const std::int32_t transposed : {0, 1})
    for (const atc_layout layout : {ATC_LAYOUT_CHANNELS_FIRST, ATC_LAYOUT_CHANNELS_LAST})
      for (const std::int32_t scale : {0, 1})
        for (const std::int32_t residual : {0, 1})
          for (const atc_epilogue epilogue :
               {ATC_EPILOGUE_NONE, ATC_EPILOGUE_BIAS, ATC_EPILOGUE_BIAS_RELU}) {
            forms.push_back(small_problem());
            forms.back().transposed = transposed;
            forms.back().layout = layout;
            forms.back().scale = scale;
            forms.back().residual = residual;
            forms.back().epilogue = epilogue;
          }
  return forms;
}

std::string described(const atc_conv_problem& problem) {
  atc_bytes* bytes = nullptr;
  if (atc_conv_problem_describe(&bytes, &problem) != ATC_OK) return atc_last_error();
  std::string text(static_cast<const char*>(atc_bytes_data(bytes)), atc_bytes_size(bytes));
  atc_bytes_destroy(bytes);
  return text;
}

TEST(Epilogue, AppliesScaleBiasResidualAndActivationInThisOrder) {
  for (const Activation& activation : kActivations)
    for (atc_conv_problem problem : forms()) {
      if (activation.number != 0 && problem.epilogue == ATC_EPILOGUE_BIAS_RELU) continue;
      set(problem, activation);
      PostOpsCall call(problem);
      ASSERT_EQ(call.eager(), ATC_OK) << described(problem) << ": " << atc_last_error();
      expect_formula(call, activation.formula, described(problem));
    }
}

// Makes a plan by a race (by timing all candidates), and returns the plan. Expects that each
// candidate passes the gate (the check of its results). If oneDNN is among the engines, expects a
// candidate of oneDNN with a separate epilogue, and one with a fused epilogue exactly if `fused` is
// true.
PlanPtr raced(const atc_conv_problem& problem, bool fused, const char* name) {
  atc_conv_options options = ATC_CONV_OPTIONS_INIT;
  options.tune = ATC_ON;
  options.use_store = ATC_OFF;
  options.budget_seconds = 0.05;
  atc_conv_plan* raw = nullptr;
  EXPECT_EQ(atc_conv_plan_create(&raw, kCpu, &problem, &options), ATC_OK) << atc_last_error();
  PlanPtr plan(raw);
  std::int32_t source = 0;
  EXPECT_EQ(atc_conv_plan_source(&source, raw), ATC_OK);
  EXPECT_EQ(source, ATC_SOURCE_TUNED) << name;
  std::size_t count = 0, of_onednn = 0, separate = 0;
  EXPECT_EQ(atc_conv_plan_candidate_count(&count, raw), ATC_OK);
  for (std::size_t i = 0; i < count; ++i) {
    atc_candidate candidate = ATC_CANDIDATE_INIT;
    EXPECT_EQ(atc_conv_plan_candidate(&candidate, raw, i), ATC_OK);
    EXPECT_NE(candidate.outcome, ATC_OUTCOME_WRONG_RESULT)
        << name << ": " << candidate.engine << ':' << candidate.configuration << ": "
        << candidate.reason;
    if (std::string(candidate.engine) != "onednn") continue;
    ++of_onednn;
    if (std::string(candidate.configuration).rfind("separate-epilogue ", 0) == 0) ++separate;
  }
  if (of_onednn != 0) {
    EXPECT_GT(separate, 0u) << name;
    EXPECT_EQ(separate < of_onednn, fused) << name;
  }
  return plan;
}

// The post-ops (operations on the results of the convolution) of a problem, apart from the
// activation. oneDNN can compute all of them within its convolution, except a scale.
struct Others {
  std::int32_t scale, residual;
  atc_epilogue epilogue;
};

TEST(Epilogue, IsRacedAndChecked) {
  for (const Activation& activation : kActivations)
    for (const Others& others :
         {Others{0, 0, ATC_EPILOGUE_NONE}, Others{1, 1, ATC_EPILOGUE_BIAS},
          Others{0, 1, ATC_EPILOGUE_BIAS}, Others{0, 1, ATC_EPILOGUE_NONE}}) {
      if (activation.number == ATC_ACTIVATION_NONE && others.residual == 0) continue;
      atc_conv_problem problem = small_problem();
      problem.input[1] = 12;  // makes a problem that no other test uses
      problem.scale = others.scale;
      problem.residual = others.residual;
      problem.epilogue = others.epilogue;
      set(problem, activation);
      const PlanPtr plan = raced(problem, others.scale == 0, activation.name);
      ASSERT_NE(plan, nullptr);
      PostOpsCall call(problem);
      ASSERT_EQ(call.run(plan.get()), ATC_OK) << atc_last_error();
      expect_formula(call, activation.formula, activation.name);
      // Repeats the calls with weights that were set once for the plan.
      ASSERT_EQ(atc_conv_plan_set_weights(plan.get(), &call.w.view), ATC_OK) << atc_last_error();
      std::fill(call.y.data.begin(), call.y.data.end(), 99.0F);
      atc_conv_operands operands = call.operands();
      operands.w = nullptr;
      ASSERT_EQ(atc_conv_plan_execute_v2(plan.get(), &operands, nullptr, 0, nullptr), ATC_OK);
      expect_formula(call, activation.formula, activation.name);
    }
}

TEST(Epilogue, DescribesTheSameArithmeticInOneWay) {
  atc_conv_problem one = small_problem();
  atc_conv_problem other = one;
  one.epilogue = ATC_EPILOGUE_BIAS_RELU;
  other.epilogue = ATC_EPILOGUE_BIAS;
  other.activation = ATC_ACTIVATION_RELU;
  EXPECT_EQ(described(one), described(other));
  one.scale = other.scale = 1;
  EXPECT_EQ(described(one), described(other));
  EXPECT_THAT(described(one), HasSubstr("+bias *scale relu"));
  one.epilogue = other.epilogue = ATC_EPILOGUE_NONE;
  one.activation = ATC_ACTIVATION_RELU6;
  other.activation = ATC_ACTIVATION_CLAMP;
  other.activation_high = 6;
  EXPECT_EQ(described(one), described(other));
  other.activation_high = 5;
  EXPECT_NE(described(one), described(other));
}

struct BadPostOp {
  const char* name;
  std::function<void(atc_conv_problem&)> spoil;
  const char* field;
  const char* value;
};

class PostOpField : public testing::TestWithParam<BadPostOp> {};

TEST_P(PostOpField, IsRefusedByNameAndValue) {
  atc_conv_problem problem = small_problem();
  GetParam().spoil(problem);
  atc_conv_plan* plan = nullptr;
  EXPECT_EQ(atc_conv_plan_create(&plan, kCpu, &problem, nullptr), ATC_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(plan, nullptr);
  EXPECT_THAT(atc_last_error(), AllOf(HasSubstr(GetParam().field), HasSubstr(GetParam().value)));
}

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

INSTANTIATE_TEST_SUITE_P(
    All, PostOpField,
    testing::Values(
        BadPostOp{"scale", [](auto& p) { p.scale = 2; }, "problem.scale", "2"},
        BadPostOp{"residual", [](auto& p) { p.residual = -1; }, "problem.residual", "-1"},
        BadPostOp{"activation", [](auto& p) { p.activation = 10; }, "problem.activation", "10"},
        BadPostOp{"activation_below", [](auto& p) { p.activation = -1; }, "problem.activation",
                  "-1"},
        BadPostOp{"limit_without_clamp",
                  [](auto& p) {
                    p.activation = ATC_ACTIVATION_RELU6;
                    p.activation_high = 6;
                  },
                  "problem.activation_high", "6"},
        BadPostOp{"limit_without_activation", [](auto& p) { p.activation_low = kNan; },
                  "problem.activation_low", "nan"},
        BadPostOp{"slope_without_leaky_relu",
                  [](auto& p) {
                    p.activation = ATC_ACTIVATION_RELU;
                    p.activation_slope = 0.5F;
                  },
                  "problem.activation_slope", "0.5"},
        BadPostOp{"limits_exchanged",
                  [](auto& p) {
                    p.activation = ATC_ACTIVATION_CLAMP;
                    p.activation_low = 2;
                    p.activation_high = -3;
                  },
                  "problem.activation_low", "2"},
        BadPostOp{"limit_nan",
                  [](auto& p) {
                    p.activation = ATC_ACTIVATION_CLAMP;
                    p.activation_high = kNan;
                  },
                  "problem.activation_high", "nan"},
        BadPostOp{"limit_beyond_f16",
                  [](auto& p) {
                    p.x_dtype = p.w_dtype = p.y_dtype = ATC_DTYPE_F16;
                    p.activation = ATC_ACTIVATION_CLAMP;
                    p.activation_high = 1e5F;
                  },
                  "problem.activation_high", "100000"},
        BadPostOp{"slope_above_1",
                  [](auto& p) {
                    p.activation = ATC_ACTIVATION_LEAKY_RELU;
                    p.activation_slope = 1.5F;
                  },
                  "problem.activation_slope", "1.5"},
        BadPostOp{"slope_nan",
                  [](auto& p) {
                    p.activation = ATC_ACTIVATION_LEAKY_RELU;
                    p.activation_slope = kNan;
                  },
                  "problem.activation_slope", "nan"},
        BadPostOp{"backward",
                  [](auto& p) {
                    p.direction = ATC_BACKWARD_DATA;
                    p.residual = 1;
                  },
                  "problem.residual", "forward"},
        BadPostOp{"accumulate",
                  [](auto& p) {
                    p.accumulate = 1;
                    p.activation = ATC_ACTIVATION_SILU;
                  },
                  "problem.accumulate", "problem.activation"},
        BadPostOp{"two_activations",
                  [](auto& p) {
                    p.epilogue = ATC_EPILOGUE_BIAS_RELU;
                    p.activation = ATC_ACTIVATION_GELU;
                  },
                  "problem.activation", "problem.epilogue"}),
    [](const auto& info) { return info.param.name; });

class PostOpOperand : public testing::Test {
 protected:
  static atc_conv_problem call() {
    atc_conv_problem problem = small_problem();
    problem.scale = problem.residual = 1;
    return problem;
  }
  // Expects that the eager call and the execution of a plan refuse the operands, with an error that
  // contains `name` and `words`.
  void refused(const atc_conv_operands& operands, const char* name, const char* words) {
    EXPECT_EQ(atc_convolution_v2(&call_.problem, &operands, nullptr), ATC_ERROR_INVALID_ARGUMENT);
    EXPECT_THAT(atc_last_error(), AllOf(HasSubstr(name), HasSubstr(words)));
    atc_conv_plan* raw = nullptr;
    ASSERT_EQ(atc_conv_plan_create(&raw, kCpu, &call_.problem, nullptr), ATC_OK);
    const PlanPtr plan(raw);
    EXPECT_EQ(atc_conv_plan_execute_v2(raw, &operands, nullptr, 0, nullptr),
              ATC_ERROR_INVALID_ARGUMENT);
    EXPECT_THAT(atc_last_error(), AllOf(HasSubstr(name), HasSubstr(words)));
  }
  PostOpsCall call_{call()};
};

TEST_F(PostOpOperand, MustBeThere) {
  atc_conv_operands operands = call_.operands();
  operands.scale = nullptr;
  refused(operands, "scale is missing", "problem.scale is 1");
  operands = call_.operands();
  operands.residual = nullptr;
  refused(operands, "residual is missing", "problem.residual is 1");
  EXPECT_EQ(call_.Call::eager(), ATC_ERROR_INVALID_ARGUMENT);
  EXPECT_THAT(atc_last_error(), HasSubstr("scale is missing"));
}

TEST_F(PostOpOperand, MustBeWanted) {
  const atc_conv_operands operands = call_.operands();
  call_.problem.scale = 0;
  refused(operands, "scale is given", "problem.scale is 0");
  call_.problem.scale = 1;
  call_.problem.residual = 0;
  refused(operands, "residual is given", "problem.residual is 0");
}

TEST_F(PostOpOperand, MustFit) {
  atc_conv_operands operands = call_.operands();
  operands.reserved = 3;
  refused(operands, "operands.reserved", "3");
  operands = call_.operands();
  operands.residual = &call_.x.view;
  refused(operands, "residual", "shape");
  atc_tensor_view other = call_.residual.view;
  operands.residual = &other;
  other.dtype.bits = 16;
  refused(operands, "residual", "dtype");
  other = call_.residual.view;
  other.device = {ATC_DEVICE_CUDA, 0};
  refused(operands, "residual.device", "cuda:0");
  operands = call_.operands();
  std::int64_t channels = 5;
  other = call_.scale.view;
  other.shape = &channels;
  operands.scale = &other;
  refused(operands, "scale", "5");
}

TEST_F(PostOpOperand, MustNotBeTheOutput) {
  atc_conv_operands operands = call_.operands();
  operands.residual = operands.y;
  refused(operands, "residual shares memory with the output", "memory of its own");
}

TEST(Epilogue, HasShapesOfItsOperands) {
  const atc_conv_problem problem = small_problem();
  std::int64_t shape[4] = {}, y[4] = {}, channels = 0;
  ASSERT_EQ(atc_conv_operand_shape(shape, nullptr, &problem, ATC_OPERAND_RESIDUAL), ATC_OK);
  ASSERT_EQ(atc_conv_operand_shape(y, nullptr, &problem, ATC_OPERAND_Y), ATC_OK);
  EXPECT_TRUE(std::equal(shape, shape + 4, y));
  ASSERT_EQ(atc_conv_operand_shape(&channels, nullptr, &problem, ATC_OPERAND_SCALE), ATC_OK);
  EXPECT_EQ(channels, 6);
  EXPECT_EQ(atc_conv_operand_shape(shape, nullptr, &problem, 7), ATC_ERROR_INVALID_ARGUMENT);
}

}  // namespace
