// Tests races whose default candidate gives wrong results, or takes longer than the whole budget.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "conv/race/verdicts.hpp"
#include "core/error.hpp"
#include "engines/reference/samples.hpp"
#include "policy_fixture.hpp"

namespace atc::conv {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

class WrongDefault : public Policy {
 protected:
  void SetUp() override {
    Policy::SetUp();
    script_->skips = [this](const Problem&, const std::string& configuration) {
      built_.push_back(configuration);
      return configuration == "one" || all_wrong_;
    };
  }
  // Returns a request for which the fake engine is the default and the only engine.
  Request within(double budget, const Problem& problem) const {
    Request made = request(problem, true);
    made.front_end = "fake";
    made.engines_allowed = {"fake"};
    made.race.budget_seconds = budget;
    return made;
  }
  std::string failure_of(const Problem& problem, const Request& request) const {
    try {
      decide(problem, request);
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), Status::unsupported);
      return error.what();
    }
    ADD_FAILURE() << "something ran";
    return "";
  }

  std::vector<std::string> built_;  // the configurations of the fake engine that were prepared
  bool all_wrong_ = false;
};

TEST_F(WrongDefault, IsReplacedHoweverSmallTheBudgetAndTheResultIsRemembered) {
  register_fake();
  const Problem problem = problem_of(700);
  const Request hurried = within(0, problem);
  const Decided decided = decide(problem, hurried);
  EXPECT_EQ(decided.decision->source, Source::tuned);
  EXPECT_EQ(decided.decision->choice.configuration, "two");
  const int executed = script_->executed;
  EXPECT_EQ(decide(problem, hurried).decision->source, Source::memory);
  EXPECT_EQ(script_->executed, executed) << "raced again";
}

TEST_F(WrongDefault, OnceKnownIsNotBuiltForTheNextRace) {
  register_fake();
  const Problem problem = problem_of(710);
  decide(problem, within(0, problem));
  built_.clear();
  EXPECT_EQ(decide(problem, within(100, problem)).decision->source, Source::tuned);
  EXPECT_THAT(built_, AllOf(Contains("two"), Not(Contains("one"))));
  // A request with Retune::all measures every candidate again, also the one that is known to be
  // wrong.
  Request anew = within(100, problem);
  anew.retune = Retune::all;
  decide(problem, anew);
  EXPECT_THAT(built_, Contains("one"));
}

TEST_F(WrongDefault, WhereNothingIsRightTheRaceIsNotRepeated) {
  all_wrong_ = true;
  register_fake();
  const Problem problem = problem_of(720);
  const std::string first = failure_of(problem, within(1, problem));
  EXPECT_THAT(first, HasSubstr("was never written"));
  const int executed = script_->executed;
  EXPECT_EQ(failure_of(problem, within(1, problem)), first);
  EXPECT_EQ(failure_of(problem, within(0.5, problem)), first);
  EXPECT_EQ(script_->executed, executed) << "raced again";
  failure_of(problem, within(2, problem));
  EXPECT_GT(script_->executed, executed) << "more time may find something";
}

TEST_F(WrongDefault, WhatCannotRunNowIsRacedOnceItCan) {
  all_wrong_ = true;
  register_fake();
  const Problem problem = problem_of(730);
  failure_of(problem, within(1, problem));
  all_wrong_ = false;
  Request anew = within(1, problem);
  anew.retune = Retune::all;
  EXPECT_EQ(decide(problem, anew).decision->choice.configuration, "two");
}

TEST_F(WrongDefault, ALongOneIsExecutedOnceInItsRace) {
  script_->skips = nullptr;
  script_->pause = std::chrono::milliseconds(100);
  register_fake();
  for (const bool deterministic : {false, true}) {
    const Problem problem = problem_of(deterministic ? 741 : 740);
    script_->executed = 0;
    Request hurried = within(0.01, problem);
    hurried.limits.deterministic = deterministic;
    const Decided decided = decide(problem, hurried);
    EXPECT_EQ(decided.decision->choice.configuration, "one");
    EXPECT_EQ(script_->executed, 1);
    const Candidate& winner = decided.decision->candidates.at(0);
    EXPECT_EQ(winner.statistics.samples, 1u);
    EXPECT_GE(winner.statistics.median, 0.1);
    EXPECT_FALSE(decided.decision->may_be_stored()) << "it was compared with nothing";
  }
}

// The default "one" computes one element wrongly. The gate does not sample this element.
class WrongBesideSamples : public WrongDefault {
 protected:
  void SetUp() override {
    WrongDefault::SetUp();
    script_->skips = nullptr;
    script_->wrong = [this](const Problem& problem, const std::string& configuration) {
      built_.push_back(configuration);
      return configuration == "one" || all_wrong_ ? unsampled(problem) : -1;
    };
  }
  std::int64_t unsampled(const Problem& problem) const {
    const std::uint64_t seed = request(problem).race.seed;
    const auto samples =
        reference::sample_positions(problem, reference::default_samples(problem), seed);
    std::int64_t number = problem.y.elements() / 3;
    while (std::binary_search(samples.begin(), samples.end(), number)) ++number;
    return number;
  }
};

TEST_F(WrongBesideSamples, DoesNotWinHoweverFastItIs) {
  script_->pause = std::chrono::milliseconds(2);
  script_->slow = "two";
  register_fake();
  const Problem problem = problem_of(750);
  const Decided decided = decide(problem, within(100, problem));
  EXPECT_EQ(decided.decision->choice.configuration, "two");
  const Candidate& one = decided.decision->candidates.at(0);
  EXPECT_EQ(one.outcome, tune::Outcome::wrong_result);
  EXPECT_THAT(one.reason, HasSubstr(std::to_string(unsampled(problem))));
}

TEST_F(WrongBesideSamples, IsMarkedAndRememberedIfItLoses) {
  script_->pause = std::chrono::milliseconds(2);
  script_->slow = "one";
  register_fake();
  const Problem problem = problem_of(760);
  const Decided decided = decide(problem, within(100, problem));
  EXPECT_EQ(decided.decision->choice.configuration, "two");
  const Candidate& one = decided.decision->candidates.at(0);
  EXPECT_EQ(one.outcome, tune::Outcome::wrong_result);
  EXPECT_EQ(one.statistics.samples, 0u) << "it was timed before that was known";
  EXPECT_NE(known_refusal(one.choice, problem, within(100, problem)), "");
}

// All candidates belong to one library and compute the same wrong element. So their agreement
// proves nothing, and the reference must compute the whole output.
TEST_F(WrongBesideSamples, IsFoundIfAllOfTheOnlyLibraryAgree) {
  all_wrong_ = true;
  register_fake();
  const Problem problem = problem_of(770);
  EXPECT_THAT(failure_of(problem, within(1, problem)),
              HasSubstr(std::to_string(unsampled(problem))));
}

TEST_F(WrongBesideSamples, IsFoundByTheCheckOfADefaultWithoutARace) {
  register_fake();
  const Problem problem = problem_of(780);
  Request untuned = within(1, problem);
  untuned.tune = false;
  EXPECT_EQ(decide(problem, untuned).decision->choice.configuration, "two");
}

}  // namespace
}  // namespace atc::conv
