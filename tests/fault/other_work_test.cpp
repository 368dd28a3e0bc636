// Tests races (the timing of the candidates of a problem) while other work runs on the device. atc
// finds other work by stamps: a stamp is a reading of the device's clock by a small kernel. It is
// late if it has to wait for other work.
#include <gmock/gmock.h>

#include "fault/support.hpp"

namespace atc::fault {
namespace {

using testing::HasSubstr;

// `budget` is the longest time for a race, in seconds. The default is so long that it never ends a
// race.
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
  // The first 12 stamps are prompt: in this time each candidate has run a batch without other work.
  // All later stamps are late.
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

// The race waits longer for the other work to end than its budget allows. But each execution is
// shorter than the budget, so no candidate may be taken for one that hangs.
TEST(OtherWork, PausesAreNotTakenForAnExecutionThatHangs) {
  on_machine(with_late_stamps(1u << 30), [] {
    const Tuned all = tuned(0.03);
    for (const Candidate& candidate : all.candidates)
      EXPECT_NE(candidate.outcome, ATC_OUTCOME_FAILED) << candidate.reason;
  });
}

}  // namespace
}  // namespace atc::fault
