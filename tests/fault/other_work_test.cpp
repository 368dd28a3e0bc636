// Tests races (the timing of the candidates of a problem) while other work runs on the device. atc
// finds other work by stamps: a stamp is a reading of the device's clock by a small kernel. It is
// late if it has to wait for other work.
#include <gmock/gmock.h>

#include "fault/support.hpp"

namespace atc::fault {
namespace {

using testing::HasSubstr;

// `budget` is the longest time for a race, in seconds. The default value is so long that no race
// reaches it.
Tuned tuned(double budget = 60) {
  const Layer layer(tiny_problem());
  atc_tune_options options = cudnn_alone();
  options.problem_budget_seconds = budget;
  return tune(layer.call.problem, options);
}

Script with_late_stamps(std::uint64_t count, std::uint64_t prompt = 4) {
  Script script = usual_script();
  script.prompt_stamps = prompt;
  script.late_stamps = count;
  return script;
}

TEST(OtherWork, ThatEndsSoonIsWaitedFor) {
  on_machine(with_late_stamps(4), [] {
    const Tuned all = tuned();
    EXPECT_EQ(all.choice, choice_of(kFastest));
    EXPECT_EQ(all.flags & ATC_TUNED_UNSTABLE, 0u) << all.why;
    EXPECT_EQ(machine().script.late_stamps, 0u);
  });
}

TEST(OtherWork, ThatStaysMakesTheDecisionProvisional) {
  // A stamp is a reading of the device's clock by a small kernel. The first 12 stamps do not wait
  // for other work: in this time each candidate has run a batch. All later stamps wait for other
  // work.
  on_machine(with_late_stamps(1u << 30, 12), [] {
    const Tuned all = tuned();
    EXPECT_EQ(all.choice, choice_of(kFastest));
    EXPECT_NE(all.flags & ATC_TUNED_UNSTABLE, 0u);
    EXPECT_THAT(all.why, HasSubstr("rounds ran beside other work"));
  });
}

TEST(OtherWork, ThatWasThereBeforeTheRaceIsSeen) {
  on_machine(with_late_stamps(1u << 30, 0), [] {
    const Tuned all = tuned();
    EXPECT_NE(all.flags & ATC_TUNED_UNSTABLE, 0u);
    EXPECT_THAT(all.why, HasSubstr("no round had the device alone"));
  });
}

// The race (the timing of the candidates) waits longer for the end of the other work than its
// budget allows. But each execution is shorter than the budget, so no candidate may count as
// hanging.
TEST(OtherWork, PausesAreNotTakenForAnExecutionThatHangs) {
  on_machine(with_late_stamps(1u << 30), [] {
    const Tuned all = tuned(0.03);
    for (const Candidate& candidate : all.candidates)
      EXPECT_NE(candidate.outcome, ATC_OUTCOME_FAILED) << candidate.reason;
  });
}

}  // namespace
}  // namespace atc::fault
