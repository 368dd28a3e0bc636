// Tests that each bad value is refused with the documented status and with a sentence that names
// the argument and the value. Out parameters must not be changed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>

#include "conv_call.hpp"

namespace {

using namespace atc_test;
using testing::AllOf;
using testing::HasSubstr;

constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();

struct BadProblem {
  const char* name;
  std::function<void(atc_conv_problem&)> spoil;
  atc_status status;
  const char* argument;
  const char* value;
};

class ProblemField : public testing::TestWithParam<BadProblem> {};

TEST_P(ProblemField, IsRefusedByNameAndValue) {
  atc_conv_problem problem = small_problem();
  ASSERT_EQ(atc_conv_operand_shape(nullptr, nullptr, &problem, ATC_OPERAND_Y), ATC_OK);
  GetParam().spoil(problem);
  auto* const untouched = reinterpret_cast<atc_conv_plan*>(std::uintptr_t{0x5A});
  atc_conv_plan* plan = untouched;
  EXPECT_EQ(atc_conv_plan_create(&plan, kCpu, &problem, nullptr), GetParam().status);
  EXPECT_EQ(plan, untouched);
  EXPECT_THAT(atc_last_error(), AllOf(HasSubstr(GetParam().argument), HasSubstr(GetParam().value)));

  std::int64_t shape[5] = {7, 7, 7, 7, 7};
  EXPECT_EQ(atc_conv_operand_shape(shape, nullptr, &problem, ATC_OPERAND_Y), GetParam().status);
  EXPECT_EQ(shape[0], 7);
  atc_tune_report* report = nullptr;
  EXPECT_EQ(atc_tune(&report, kCpu, &problem, 1, nullptr, nullptr, nullptr), GetParam().status);
  EXPECT_EQ(report, nullptr);
}

INSTANTIATE_TEST_SUITE_P(
    All, ProblemField,
    testing::Values(
        BadProblem{"struct_size_past", [](auto& p) { p.struct_size = 8; },
                   ATC_ERROR_INVALID_ARGUMENT, "struct_size", "8"},
        BadProblem{"spatial_0", [](auto& p) { p.spatial_dims = 0; }, ATC_ERROR_INVALID_ARGUMENT,
                   "spatial_dims", "0"},
        BadProblem{"spatial_4", [](auto& p) { p.spatial_dims = 4; }, ATC_ERROR_INVALID_ARGUMENT,
                   "spatial_dims", "4"},
        BadProblem{"direction", [](auto& p) { p.direction = 9; }, ATC_ERROR_INVALID_ARGUMENT,
                   "direction", "9"},
        BadProblem{"direction_0", [](auto& p) { p.direction = 0; }, ATC_ERROR_INVALID_ARGUMENT,
                   "direction", "0"},
        BadProblem{"transposed", [](auto& p) { p.transposed = 2; }, ATC_ERROR_INVALID_ARGUMENT,
                   "transposed", "2"},
        BadProblem{"accumulate", [](auto& p) { p.accumulate = -1; }, ATC_ERROR_INVALID_ARGUMENT,
                   "accumulate", "-1"},
        BadProblem{"x_dtype", [](auto& p) { p.x_dtype = 77; }, ATC_ERROR_INVALID_ARGUMENT,
                   "x_dtype", "77"},
        BadProblem{"w_dtype", [](auto& p) { p.w_dtype = 0; }, ATC_ERROR_INVALID_ARGUMENT, "w_dtype",
                   "0"},
        BadProblem{"y_dtype", [](auto& p) { p.y_dtype = -3; }, ATC_ERROR_INVALID_ARGUMENT,
                   "y_dtype", "-3"},
        BadProblem{"layout", [](auto& p) { p.layout = 5; }, ATC_ERROR_INVALID_ARGUMENT, "layout",
                   "5"},
        BadProblem{"epilogue", [](auto& p) { p.epilogue = 8; }, ATC_ERROR_INVALID_ARGUMENT,
                   "epilogue", "8"},
        BadProblem{"epilogue_backward",
                   [](auto& p) {
                     p.direction = ATC_BACKWARD_DATA;
                     p.epilogue = ATC_EPILOGUE_BIAS;
                   },
                   ATC_ERROR_INVALID_ARGUMENT, "epilogue", "2"},
        BadProblem{"batch", [](auto& p) { p.batch = -1; }, ATC_ERROR_INVALID_ARGUMENT, "batch",
                   "-1"},
        BadProblem{"in_channels", [](auto& p) { p.in_channels = 0; }, ATC_ERROR_INVALID_ARGUMENT,
                   "in_channels", "0"},
        BadProblem{"out_channels", [](auto& p) { p.out_channels = -6; }, ATC_ERROR_INVALID_ARGUMENT,
                   "out_channels", "-6"},
        BadProblem{"groups_0", [](auto& p) { p.groups = 0; }, ATC_ERROR_INVALID_ARGUMENT, "groups",
                   "0"},
        BadProblem{"groups_3", [](auto& p) { p.groups = 3; }, ATC_ERROR_INVALID_ARGUMENT, "groups",
                   "3"},
        BadProblem{"input", [](auto& p) { p.input[1] = 0; }, ATC_ERROR_INVALID_ARGUMENT, "input[1]",
                   "0"},
        BadProblem{"input_huge", [](auto& p) { p.input[0] = kHuge; }, ATC_ERROR_INVALID_ARGUMENT,
                   "input[0]", "9223372036854775807"},
        BadProblem{"kernel", [](auto& p) { p.kernel[0] = 0; }, ATC_ERROR_INVALID_ARGUMENT,
                   "kernel[0]", "0"},
        BadProblem{"kernel_too_large", [](auto& p) { p.kernel[0] = 12; },
                   ATC_ERROR_INVALID_ARGUMENT, "kernel[0]", "12"},
        BadProblem{"stride", [](auto& p) { p.stride[1] = 0; }, ATC_ERROR_INVALID_ARGUMENT,
                   "stride[1]", "0"},
        BadProblem{"stride_limit", [](auto& p) { p.stride[1] = std::int64_t{1} << 31; },
                   ATC_ERROR_INVALID_ARGUMENT, "stride[1]", "2147483648"},
        BadProblem{"dilation", [](auto& p) { p.dilation[0] = -2; }, ATC_ERROR_INVALID_ARGUMENT,
                   "dilation[0]", "-2"},
        BadProblem{"padding_low", [](auto& p) { p.padding_low[0] = -1; },
                   ATC_ERROR_INVALID_ARGUMENT, "padding_low[0]", "-1"},
        BadProblem{"padding_high", [](auto& p) { p.padding_high[1] = kHuge; },
                   ATC_ERROR_INVALID_ARGUMENT, "padding_high[1]", "9223372036854775807"},
        BadProblem{"output_padding", [](auto& p) { p.output_padding[0] = 1; },
                   ATC_ERROR_INVALID_ARGUMENT, "output_padding[0]", "1"},
        BadProblem{"output_padding_large",
                   [](auto& p) {
                     p.transposed = 1;
                     p.stride[0] = 2;
                     p.output_padding[0] = 2;
                   },
                   ATC_ERROR_INVALID_ARGUMENT, "output_padding[0]", "2"},
        BadProblem{"transposed_padding",
                   [](auto& p) {
                     p.transposed = 1;
                     p.padding_low[0] = 40;
                   },
                   ATC_ERROR_INVALID_ARGUMENT, "padding_low[0]", "-"},
        BadProblem{"product",
                   [](auto& p) {
                     p.batch = std::int64_t{1} << 40;
                     p.in_channels = std::int64_t{1} << 30;
                   },
                   ATC_ERROR_INVALID_ARGUMENT, "bytes of x", "2^63"},
        BadProblem{"product_weights",
                   [](auto& p) {
                     p.out_channels = std::int64_t{1} << 40;
                     p.in_channels = std::int64_t{1} << 30;
                   },
                   ATC_ERROR_INVALID_ARGUMENT, "bytes of", "2^63"},
        BadProblem{"negative_stride",
                   [](auto& p) {
                     p.layout = ATC_LAYOUT_STRIDED;
                     p.x_strides[2] = -8;
                   },
                   ATC_ERROR_INVALID_ARGUMENT, "x_strides[2]", "-8"},
        BadProblem{"stride_reach",
                   [](auto& p) {
                     p.layout = ATC_LAYOUT_STRIDED;
                     p.x_strides[0] = kHuge;
                   },
                   ATC_ERROR_INVALID_ARGUMENT, "x_strides[0]", "9223372036854775807"},
        BadProblem{
            "input_broadcast",
            [](auto& p) {
              p.layout = ATC_LAYOUT_STRIDED;
              const std::int64_t x[] = {0, 72, 8, 1}, w[] = {36, 9, 3, 1}, y[] = {432, 72, 8, 1};
              std::copy(x, x + 4, p.x_strides);
              std::copy(w, w + 4, p.w_strides);
              std::copy(y, y + 4, p.y_strides);
            },
            ATC_ERROR_UNSUPPORTED, "x_strides[0]", "0"},
        BadProblem{
            "output_overlap",
            [](auto& p) {
              p.layout = ATC_LAYOUT_STRIDED;
              const std::int64_t x[] = {288, 72, 8, 1}, w[] = {36, 9, 3, 1}, y[] = {432, 71, 8, 1};
              std::copy(x, x + 4, p.x_strides);
              std::copy(w, w + 4, p.w_strides);
              std::copy(y, y + 4, p.y_strides);
            },
            ATC_ERROR_INVALID_ARGUMENT, "y_strides[1]", "71"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(BadInput, AStructOfTheFutureWithAnUnknownFieldIsRefusedUnlessItIsZero) {
  struct Future {
    atc_conv_problem problem;
    std::int64_t unknown;
  } future{small_problem(), 0};
  future.problem.struct_size = sizeof(future);
  EXPECT_EQ(atc_conv_operand_shape(nullptr, nullptr, &future.problem, ATC_OPERAND_X), ATC_OK);
  future.unknown = 1;
  EXPECT_EQ(atc_conv_operand_shape(nullptr, nullptr, &future.problem, ATC_OPERAND_X),
            ATC_ERROR_INVALID_ARGUMENT);
  EXPECT_THAT(atc_last_error(), HasSubstr(std::to_string(sizeof(atc_conv_problem))));
}

// A struct_size that the caller forgot to set has an arbitrary value. It must not make the library
// read or write beyond the struct.
TEST(BadInput, SizesThatNoVersionOfAStructHas) {
  atc_conv_problem problem = small_problem();
  problem.struct_size = 0xA5A5A5A5;
  EXPECT_EQ(atc_conv_operand_shape(nullptr, nullptr, &problem, ATC_OPERAND_X),
            ATC_ERROR_INVALID_ARGUMENT);
  EXPECT_THAT(atc_last_error(), AllOf(HasSubstr("problem.struct_size"), HasSubstr("2779096485")));
  atc_settings settings = ATC_SETTINGS_INIT;
  settings.struct_size = 1 << 20;
  EXPECT_EQ(atc_settings_get(&settings), ATC_ERROR_INVALID_ARGUMENT);
  EXPECT_THAT(atc_last_error(), AllOf(HasSubstr("out.struct_size"), HasSubstr("1048576")));
  // The size of atc_conv_problem in its first version, in bytes.
  constexpr std::size_t kFirstSize = 360;
  for (const std::size_t size : {std::size_t{0}, kFirstSize - 1, std::size_t{1} << 40}) {
    EXPECT_EQ(atc_conv_problem_init_sized(&problem, size, 1), ATC_ERROR_INVALID_ARGUMENT);
    EXPECT_THAT(atc_last_error(), AllOf(HasSubstr("struct_size"), HasSubstr(std::to_string(size))));
  }
}

TEST(BadInput, Devices) {
  const atc_conv_problem problem = small_problem();
  atc_conv_plan* plan = nullptr;
  EXPECT_EQ(atc_conv_plan_create(&plan, {7, 0}, &problem, nullptr), ATC_ERROR_INVALID_ARGUMENT);
  EXPECT_THAT(atc_last_error(), AllOf(HasSubstr("device.type"), HasSubstr("7")));
  EXPECT_EQ(atc_conv_plan_create(&plan, {ATC_DEVICE_CPU, 3}, &problem, nullptr),
            ATC_ERROR_INVALID_ARGUMENT);
  EXPECT_THAT(atc_last_error(), AllOf(HasSubstr("device.index"), HasSubstr("3")));
  EXPECT_EQ(plan, nullptr);
}

struct BadOptions {
  const char* name;
  std::function<void(atc_conv_options&)> spoil;
  const char* argument;
  const char* value;
};

class OptionsField : public testing::TestWithParam<BadOptions> {};

TEST_P(OptionsField, IsRefusedByNameAndValue) {
  const atc_conv_problem problem = small_problem();
  atc_conv_options options{};
  options.struct_size = sizeof(options);
  GetParam().spoil(options);
  atc_conv_plan* plan = nullptr;
  EXPECT_EQ(atc_conv_plan_create(&plan, kCpu, &problem, &options), ATC_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(plan, nullptr);
  EXPECT_THAT(atc_last_error(), AllOf(HasSubstr(GetParam().argument), HasSubstr(GetParam().value)));
}

INSTANTIATE_TEST_SUITE_P(
    All, OptionsField,
    testing::Values(
        BadOptions{"struct_size", [](auto& o) { o.struct_size = 0; }, "struct_size", "0"},
        BadOptions{"tune", [](auto& o) { o.tune = 6; }, "tune", "6"},
        BadOptions{"deterministic", [](auto& o) { o.deterministic = -1; }, "deterministic", "-1"},
        BadOptions{"near_shapes", [](auto& o) { o.near_shapes = 7; }, "near_shapes", "7"},
        BadOptions{"technique", [](auto& o) { o.technique = 6; }, "technique", "6"},
        BadOptions{"alignment", [](auto& o) { o.alignment = 24; }, "alignment", "24"},
        BadOptions{"budget", [](auto& o) { o.budget_seconds = -2; }, "budget_seconds", "-2"},
        BadOptions{"budget_nan", [](auto& o) { o.budget_seconds = std::nan(""); }, "budget_seconds",
                   "nan"}),
    [](const auto& info) { return std::string(info.param.name); });

struct BadView {
  const char* name;
  std::function<void(Call&)> spoil;
  const char* argument;
  const char* value;
};

class ViewField : public testing::TestWithParam<BadView> {};

TEST_P(ViewField, IsRefusedByNameAndValueAndWritesNothing) {
  Call call(small_problem());
  atc_conv_plan* made = nullptr;
  ASSERT_EQ(atc_conv_plan_create(&made, kCpu, &call.problem, nullptr), ATC_OK) << atc_last_error();
  const std::unique_ptr<atc_conv_plan, PlanDeleter> plan(made);
  const std::vector<float> before = call.y.data;
  GetParam().spoil(call);
  EXPECT_EQ(call.run(plan.get()), ATC_ERROR_INVALID_ARGUMENT);
  EXPECT_THAT(atc_last_error(), AllOf(HasSubstr(GetParam().argument), HasSubstr(GetParam().value)));
  EXPECT_EQ(call.eager(), ATC_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(call.y.data, before);
}

INSTANTIATE_TEST_SUITE_P(
    All, ViewField,
    testing::Values(
        BadView{"dtype", [](auto& c) { c.x.view.dtype.bits = 64; }, "x.dtype", "64"},
        BadView{"dtype_other",
                [](auto& c) {
                  c.w.view.dtype = {ATC_CODE_FLOAT, 16, 1};
                },
                "w.dtype", "f16"},
        BadView{"lanes", [](auto& c) { c.y.view.dtype.lanes = 4; }, "y.dtype", "lanes 4"},
        BadView{"ndim", [](auto& c) { c.x.view.ndim = 3; }, "x.ndim", "3"},
        BadView{"shape", [](auto& c) { c.x.shape[2] = 10; }, "x.shape[2]", "10"},
        BadView{"shape_null", [](auto& c) { c.w.view.shape = nullptr; }, "w.shape", "missing"},
        BadView{"strides", [](auto& c) { c.y.strides[3] = 2; }, "y.strides[3]", "2"},
        BadView{"data", [](auto& c) { c.x.view.data = nullptr; }, "x.data", "missing"},
        BadView{"misaligned", [](auto& c) { c.w.view.byte_offset = 2; }, "w starts at", "4"},
        BadView{"bias_unasked",
                [](auto& c) {
                  c.problem.epilogue = ATC_EPILOGUE_NONE;
                  c.x.view.device = {ATC_DEVICE_CUDA, 0};
                },
                "device", "cuda:0"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(BadInput, ABiasThatNobodyAskedForAndOneThatIsMissing) {
  Call call(small_problem());
  EXPECT_EQ(atc_convolution(&call.problem, &call.x.view, &call.w.view, &call.bias.view,
                            &call.y.view, nullptr),
            ATC_ERROR_INVALID_ARGUMENT);
  EXPECT_THAT(atc_last_error(), HasSubstr("bias"));
  call.problem.epilogue = ATC_EPILOGUE_BIAS;
  EXPECT_EQ(
      atc_convolution(&call.problem, &call.x.view, &call.w.view, nullptr, &call.y.view, nullptr),
      ATC_ERROR_INVALID_ARGUMENT);
  EXPECT_THAT(atc_last_error(), HasSubstr("bias"));
}

TEST(BadInput, AChoiceThatIsNoneOrThatNobodyHas) {
  const atc_conv_problem problem = small_problem();
  atc_conv_plan* plan = nullptr;
  EXPECT_EQ(atc_conv_plan_create_with_choice(&plan, kCpu, &problem, nullptr, "onednn"),
            ATC_ERROR_INVALID_ARGUMENT);
  EXPECT_THAT(atc_last_error(), HasSubstr("'onednn'"));
  EXPECT_EQ(atc_conv_plan_create_with_choice(&plan, kCpu, &problem, nullptr, "nobody@1:x"),
            ATC_ERROR_UNSUPPORTED);
  EXPECT_THAT(atc_last_error(), HasSubstr("nobody"));
  EXPECT_EQ(atc_conv_plan_create_with_choice(&plan, kCpu, &problem, nullptr, "reference@0:direct"),
            ATC_ERROR_UNSUPPORTED);
  EXPECT_EQ(plan, nullptr);
}

TEST(BadInput, AWorkspaceThatIsTooSmallOrMisaligned) {
  Call call(small_problem());
  call.problem.layout = ATC_LAYOUT_CHANNELS_FIRST;
  atc_conv_plan* made = nullptr;
  ASSERT_EQ(atc_conv_plan_create(&made, kCpu, &call.problem, nullptr), ATC_OK);
  const std::unique_ptr<atc_conv_plan, PlanDeleter> plan(made);
  alignas(64) unsigned char memory[128];
  EXPECT_EQ(atc_conv_plan_execute(made, &call.x.view, &call.w.view, nullptr, &call.y.view,
                                  memory + 1, UINT64_MAX, nullptr),
            ATC_ERROR_INVALID_ARGUMENT);
  EXPECT_THAT(atc_last_error(), HasSubstr("64"));
  std::uint64_t needed = 0;
  ASSERT_EQ(atc_conv_plan_workspace_size(&needed, made), ATC_OK);
  if (needed == 0) GTEST_SKIP() << "the default plan needs no workspace in this build";
  EXPECT_EQ(atc_conv_plan_execute(made, &call.x.view, &call.w.view, nullptr, &call.y.view, memory,
                                  needed - 1, nullptr),
            ATC_ERROR_INVALID_ARGUMENT);
  EXPECT_THAT(atc_last_error(), HasSubstr(std::to_string(needed)));
}

TEST(BadInput, AnOutputThatSharesMemory) {
  for (const std::int32_t direction : {ATC_FORWARD, ATC_BACKWARD_DATA, ATC_BACKWARD_WEIGHT}) {
    atc_conv_problem problem = small_problem();
    problem.direction = direction;
    Call call(problem);
    atc_conv_plan* made = nullptr;
    ASSERT_EQ(atc_conv_plan_create(&made, kCpu, &call.problem, nullptr), ATC_OK);
    const std::unique_ptr<atc_conv_plan, PlanDeleter> plan(made);
    Operand& output = call.output();
    float* const own = output.data.data();
    // In the first case the output begins at the last element of the input. In the second case the
    // output ends at the first element of the input. So the two tensors share exactly one element.
    Operand& input = &output == &call.x ? call.y : call.x;
    for (float* const data :
         {input.data.data() + input.data.size() - 1, input.data.data() - output.data.size() + 1}) {
      output.view.data = data;
      const std::vector<float> before = input.data;
      EXPECT_EQ(call.run(made), ATC_ERROR_INVALID_ARGUMENT);
      EXPECT_THAT(atc_last_error(), HasSubstr("shares memory with the output"));
      EXPECT_EQ(call.eager(), ATC_ERROR_INVALID_ARGUMENT);
      EXPECT_EQ(input.data, before);
    }
    output.view.data = own;
    EXPECT_EQ(call.run(made), ATC_OK);
  }
}

TEST(BadInput, AWorkspaceThatSharesMemoryWithTheOutput) {
  Call call(small_problem());
  atc_conv_plan* made = nullptr;
  ASSERT_EQ(atc_conv_plan_create(&made, kCpu, &call.problem, nullptr), ATC_OK);
  const std::unique_ptr<atc_conv_plan, PlanDeleter> plan(made);
  std::uint64_t needed = 0;
  ASSERT_EQ(atc_conv_plan_workspace_size(&needed, made), ATC_OK);
  if (needed < sizeof(float)) GTEST_SKIP() << "the default plan needs no workspace in this build";
  std::vector<float> memory(call.y.data.size() + needed / sizeof(float) + 16);
  auto address = reinterpret_cast<std::uintptr_t>(memory.data() + call.y.data.size() - 1);
  address = address / 64 * 64;
  call.y.view.data = memory.data();
  EXPECT_EQ(atc_conv_plan_execute(made, &call.x.view, &call.w.view, nullptr, &call.y.view,
                                  reinterpret_cast<void*>(address), UINT64_MAX, nullptr),
            ATC_ERROR_INVALID_ARGUMENT);
  EXPECT_THAT(atc_last_error(), HasSubstr("workspace shares memory"));
}

// x and y are views of one tensor with channels last, and each view has half of the channels. Their
// address ranges overlap, but no element belongs to both.
TEST(BadInput, ViewsBetweenEachOthersElementsShareNone) {
  atc_conv_problem problem = small_problem();
  problem.layout = ATC_LAYOUT_STRIDED;
  problem.batch = 1;
  problem.in_channels = problem.out_channels = 4;
  problem.input[0] = problem.input[1] = 5;
  const std::int64_t strides[] = {200, 1, 40, 8}, weights[] = {36, 9, 3, 1};
  for (int i = 0; i < 4; ++i) {
    problem.x_strides[i] = problem.y_strides[i] = strides[i];
    problem.w_strides[i] = weights[i];
  }
  Call call(problem);
  std::vector<float> both(200, 1.0F);
  call.x.view.data = both.data();
  call.y.view.data = both.data() + 4;
  EXPECT_EQ(call.eager(), ATC_OK) << atc_last_error();
  call.y.view.data = both.data() + 3;
  EXPECT_EQ(call.eager(), ATC_ERROR_INVALID_ARGUMENT);
}

TEST(BadInput, UseAfterAFailedCreate) {
  Call call(small_problem());
  call.problem.groups = 5;
  atc_conv_plan* plan = nullptr;
  ASSERT_NE(atc_conv_plan_create(&plan, kCpu, &call.problem, nullptr), ATC_OK);
  EXPECT_EQ(call.run(plan), ATC_ERROR_INVALID_ARGUMENT);
  EXPECT_THAT(atc_last_error(), HasSubstr("plan"));
  atc_conv_plan_destroy(plan);
}

}  // namespace
