// Tests outputs with gaps between their elements, such as some channels of a larger tensor. cuDNN's
// kernels would write into the gaps, and so would the separate kernel that adds a bias. So atc must
// not use them, even if a stored decision or the caller chooses them.
#include <string>

#include "fault/support.hpp"

namespace atc::fault {
namespace {

// Returns the problem with other output strides: the output is the first three channels of a tensor
// with six channels.
atc_conv_problem with_gaps(atc_conv_problem problem) {
  const std::int64_t x = problem.input[0] * problem.input[1];
  problem.layout = ATC_LAYOUT_STRIDED;
  const auto set = [&](std::int64_t* strides, std::int64_t sample, std::int64_t channel,
                       std::int64_t row) {
    strides[0] = sample;
    strides[1] = channel;
    strides[2] = row;
    strides[3] = 1;
  };
  set(problem.x_strides, x * problem.in_channels, x, problem.input[1]);
  set(problem.w_strides, 9 * problem.in_channels, 9, 3);
  set(problem.y_strides, 2 * x * problem.out_channels, x, problem.input[1]);
  return problem;
}

TEST(StridedOutput, IsNotWrittenByTheChoiceOfTheNearestRecord) {
  on_machine(usual_script(), [] {
    const OpenStore store;
    ASSERT_DONE(atc_set_benchmark_cudnn(0));
    atc_conv_problem dense = tiny_problem();
    dense.batch = 2;
    ASSERT_EQ(tune(dense, cudnn_alone()).choice, choice_of(kFastest));
    const atc_conv_problem problem = with_gaps(dense);
    atc_conv_plan* plan = nullptr;
    ASSERT_DONE(atc_conv_plan_create(&plan, kCuda, &problem, nullptr));
    const char* choice = nullptr;
    EXPECT_DONE(atc_conv_plan_choice(&choice, plan));
    EXPECT_THAT(choice, testing::Not(testing::StartsWith("cudnn")));
    atc_conv_plan_destroy(plan);
  });
}

TEST(StridedOutput, IsNotWrittenByTheCallersChoice) {
  on_machine(usual_script(), [] {
    atc_conv_problem dense = tiny_problem();
    dense.batch = 2;
    const atc_conv_problem problem = with_gaps(dense);
    atc_conv_plan* plan = nullptr;
    EXPECT_EQ(atc_conv_plan_create_with_choice(&plan, kCuda, &problem, nullptr,
                                               choice_of(kFastest).c_str()),
              ATC_ERROR_UNSUPPORTED);
    EXPECT_THAT(atc_last_error(), testing::HasSubstr("gaps"));
  });
}

}  // namespace
}  // namespace atc::fault
