// Calls on CUDA that are measurements themselves (ATC_TUNE_BESIDE), on the stand-ins.
#include <string>

#include "fault/support.hpp"

namespace atc::fault {
namespace {

atc_conv_options beside() {
  atc_conv_options options = ATC_CONV_OPTIONS_INIT;
  options.tune = ATC_TUNE_BESIDE;
  options.allow_tf32 = ATC_OFF;
  return options;
}

struct Used {
  std::int32_t source = 0;
  std::string choice;
};

Used used(Layer& layer, const atc_conv_options& options) {
  atc_conv_plan* plan = nullptr;
  Used used;
  EXPECT_DONE(atc_conv_plan_acquire(&plan, kCuda, &layer.call.problem, &options, nullptr));
  if (plan == nullptr) return used;
  const char* choice = "";
  EXPECT_DONE(atc_conv_plan_source(&used.source, plan));
  EXPECT_DONE(atc_conv_plan_choice(&choice, plan));
  used.choice = choice;
  EXPECT_DONE(layer.call.run(plan));
  atc_conv_plan_release(plan);
  return used;
}

TEST(Beside, ACapturedCallRunsWhatIsKnown) {
  on_machine(usual_script(), [] {
    Layer layer(tiny_problem());
    const atc_conv_options options = beside();
    used(layer, options);
    machine().script.captures[nullptr] = 1;
    for (int i = 0; i < 20; ++i) EXPECT_EQ(used(layer, options).choice, choice_of(kFirst));
    machine().script.captures.clear();
    machine().graphs.destroy(1);
    EXPECT_DONE(atc_problems_forget_noted());
  });
}

}  // namespace
}  // namespace atc::fault
