// Tests that in deterministic mode a choice must give the same bits in repeated executions before
// it is stored, even if its engine declares the choice deterministic.
#include "conv/race/repeat.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "policy_fixture.hpp"

namespace atc::conv {
namespace {

using testing::HasSubstr;
using testing::Not;

class Repeats : public Policy {
 protected:
  // Decides a race between the offers of the fake engine. The offer "two" takes much longer than
  // the others.
  Decided raced(const Problem& problem, bool deterministic, bool constant_weights = false) {
    script_->slow = "two";
    script_->pause = std::chrono::milliseconds(20);
    PlanOptions options;
    options.tune = TuningMode::on;
    options.technique = tune::Technique::once;
    options.budget_seconds = 100;
    options.deterministic = deterministic;
    options.constant_weights = constant_weights;
    options.engines_allowed = {"fake"};
    return decide(problem, resolve({}, problem, options, Settings{}));
  }
};

TEST_F(Repeats, AWinnerThatDoesNotRepeatItsBitsIsRefusedAndTheNextOneIsTaken) {
  script_->unsteady = "one";
  register_fake();
  use_store(store::Mode::read_write);
  const Problem problem = problem_of(600);
  EXPECT_EQ(raced(problem, false).decision->choice.configuration, "one")
      << "where bits may differ, it is the fastest";
  const Decision decision = *raced(problem, true).decision;
  EXPECT_EQ(decision.choice.configuration, "two");
  EXPECT_EQ(decision.keeping, Keeping::stored);
  for (const Candidate& candidate : decision.candidates) {
    if (candidate.choice.configuration != "one") continue;
    EXPECT_EQ(candidate.outcome, tune::Outcome::wrong_result);
    EXPECT_THAT(candidate.reason, HasSubstr("said to be deterministic"));
    EXPECT_THAT(candidate.reason, HasSubstr("gave other bits"));
  }
}

TEST_F(Repeats, ADefaultThatDoesNotRepeatItsBitsDoesNotRunEither) {
  script_->offers = {offer("one")};
  script_->unsteady = "one";
  register_fake();
  const Problem problem = problem_of(610);
  EXPECT_THROW(raced(problem, true), Error);
  EXPECT_EQ(raced(problem, false).decision->choice.configuration, "one");
}

TEST_F(Repeats, AWinnerThatRepeatsItsBitsIsRacedOnce) {
  register_fake();
  EXPECT_EQ(raced(problem_of(620), true).decision->choice.configuration, "one");
  // each of the two candidates was prepared once, so there was only one race
  EXPECT_EQ(script_->prepared, 2);
  EXPECT_EQ(raced(problem_of(621), true, true).decision->choice.configuration, "one");
}

TEST_F(Repeats, AnOldOutputIsTheSameForEachExecution) {
  register_fake();
  Problem problem = problem_of(630);
  problem.accumulate = true;
  EXPECT_EQ(raced(problem, true).decision->choice.configuration, "one");
}

}  // namespace
}  // namespace atc::conv
