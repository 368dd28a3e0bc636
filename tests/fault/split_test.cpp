// Tests the gradient of the weights (backward-weight) if the batch is split into parts, which are
// computed one after the other. The gradient must be set to zero before the parts add to it.
#include "fault/support.hpp"

namespace atc::fault {
namespace {

TEST(BatchSplit, RunsOnAThreadWithoutACurrentContext) {
  on_machine(usual_script(), [] {
    atc_conv_problem problem = tiny_problem();
    problem.direction = ATC_BACKWARD_WEIGHT;
    problem.batch = 2;
    problem.in_channels = problem.out_channels = 1;
    for (int i = 0; i < 2; ++i) {
      problem.input[i] = 1600;
      problem.kernel[i] = 1;
      problem.padding_low[i] = problem.padding_high[i] = 0;
    }
    Layer layer(problem);
    layer.unwrite();
    atc_conv_options options = ATC_CONV_OPTIONS_INIT;
    // The workspace limit is less than the size of x and y, so splitting the batch is useful.
    options.workspace_limit = 32 << 20;
    atc_conv_plan* plan = nullptr;
    ASSERT_DONE(atc_conv_plan_create_with_choice(&plan, kCuda, &problem, &options,
                                                 ("split@1(2)>" + choice_of(kFirst)).c_str()));
    EXPECT_DONE(layer.call.run(plan));
    layer.expect_right();
    atc_conv_plan_destroy(plan);
  });
}

}  // namespace
}  // namespace atc::fault
