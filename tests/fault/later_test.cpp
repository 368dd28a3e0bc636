// Tests ATC_TUNE_LATER: a call on CUDA only notes its problem, and the noted problems are tuned
// between two steps of the program.
#include <string>

#include "fault/support.hpp"

namespace atc::fault {
namespace {

atc_conv_options later() {
  atc_conv_options options = ATC_CONV_OPTIONS_INIT;
  options.tune = ATC_TUNE_LATER;
  options.allow_tf32 = ATC_OFF;
  return options;
}

struct Used {
  std::int32_t source = 0;
  std::string choice;
};

Used used(const atc_conv_problem& problem, const atc_conv_options& options) {
  atc_conv_plan* plan = nullptr;
  EXPECT_DONE(atc_conv_plan_acquire(&plan, kCuda, &problem, &options, nullptr));
  Used used;
  const char* choice = "";
  EXPECT_DONE(atc_conv_plan_source(&used.source, plan));
  EXPECT_DONE(atc_conv_plan_choice(&choice, plan));
  used.choice = choice;
  atc_conv_plan_release(plan);
  return used;
}

std::uint64_t put_off() {
  atc_cache_statistics statistics = ATC_CACHE_STATISTICS_INIT;
  EXPECT_DONE(atc_cache_stats(&statistics));
  return statistics.put_off;
}

std::size_t noted(atc_problems* problems) {
  EXPECT_DONE(atc_problems_add_noted(problems));
  std::size_t count = 0;
  EXPECT_DONE(atc_problems_count(&count, problems));
  return count;
}

TEST(Later, ACallMeasuresNothingAndTheNoteIsTunedOnItsOwnDevice) {
  on_machine(usual_script(), [] {
    const atc_conv_problem problem = tiny_problem();
    const atc_conv_options options = later();
    // Turns the setting benchmark_cudnn on, with which calls would measure at once. The option
    // ATC_TUNE_LATER of the call must have precedence.
    ASSERT_DONE(atc_set_benchmark_cudnn(1));
    const Used before = used(problem, options);
    EXPECT_EQ(before.source, ATC_SOURCE_DEFAULT);
    EXPECT_EQ(before.choice, choice_of(kFirst));
    machine().script.captures[nullptr] = 1;
    EXPECT_EQ(used(problem, options).choice, choice_of(kFirst));
    machine().script.captures.clear();
    EXPECT_EQ(put_off(), 0u) << "no race is due at a call";

    atc_problems* problems = nullptr;
    ASSERT_DONE(atc_problems_create(&problems));
    ASSERT_EQ(noted(problems), 1u);
    atc_device device{};
    atc_conv_options terms = ATC_CONV_OPTIONS_INIT;
    ASSERT_DONE(atc_problems_get(&device, nullptr, &terms, nullptr, problems, 0));
    EXPECT_EQ(device.type, ATC_DEVICE_CUDA);
    EXPECT_EQ(device.index, 0);
    EXPECT_EQ(terms.allow_tf32, ATC_OFF);

    // The workspace limit is changed after the problem was noted. The noted problem must be tuned
    // with the old limit.
    ASSERT_DONE(atc_set_workspace_limit(0));
    atc_tune_options how = ATC_TUNE_OPTIONS_INIT;
    how.technique = ATC_TECHNIQUE_ONCE;
    // The budget of a race (the timing of the candidates), in seconds. It is so long that no race
    // reaches it, even on a busy machine.
    how.problem_budget_seconds = 1000;
    how.engines_allowed = "cudnn";
    how.problems = problems;
    ASSERT_DONE(atc_tune(nullptr, {ATC_DEVICE_CPU, 0}, nullptr, 0, &how, nullptr, nullptr));
    ASSERT_DONE(atc_set_workspace_limit(std::uint64_t{1} << 30));

    const Used after = used(problem, options);
    EXPECT_EQ(after.source, ATC_SOURCE_MEMORY);
    EXPECT_EQ(after.choice, choice_of(kFastest));
    machine().script.captures[nullptr] = 1;
    EXPECT_EQ(used(problem, options).choice, choice_of(kFastest));
    machine().script.captures.clear();
    EXPECT_EQ(noted(problems), 1u) << "the list has it still, and nothing was added";
    atc_problems_destroy(problems);
    EXPECT_DONE(atc_problems_forget_noted());
  });
}

}  // namespace
}  // namespace atc::fault
