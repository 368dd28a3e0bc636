// Calls on CUDA that are measurements themselves (ATC_TUNE_BESIDE), on the stand-ins.
#include <chrono>
#include <string>
#include <thread>

#include "fault/support.hpp"

namespace atc::fault {
namespace {

// The worker runs only on idle cores, so on a busy machine a decision may take long.
constexpr std::chrono::minutes kPatience{4};

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

// Steps of eight calls, each of which waits for the device at its end.
void steps_until(Layer& layer, const atc_conv_options& options, std::int32_t source) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  Used last;
  while (last.source != source && std::chrono::steady_clock::now() < end) {
    for (int i = 0; i < 8; ++i) last = used(layer, options);
    EXPECT_DONE(atc_synchronize(kCuda.index));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(last.source, source);
}

TEST(Beside, CallsFindAFasterCandidate) {
  on_machine(usual_script(), [] {
    Layer layer(tiny_problem());
    const atc_conv_options options = beside();
    EXPECT_EQ(used(layer, options).choice, choice_of(kFirst));
    steps_until(layer, options, ATC_SOURCE_BESIDE);
    EXPECT_NE(used(layer, options).choice, choice_of(kFirst));
    layer.expect_right();
    EXPECT_DONE(atc_problems_forget_noted());
  });
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
