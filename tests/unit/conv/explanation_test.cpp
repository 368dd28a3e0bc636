// Tests explanations of decisions: the source of the decision, the number of offers of each engine,
// and the offers that a switch excludes.
#include "conv/explain/explanation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/error.hpp"
#include "engines/registry.hpp"
#include "policy_fixture.hpp"
#include "support/problems.hpp"

namespace atc::conv {
namespace {

using testing::HasSubstr;

class Explaining : public Policy {
 protected:
  static EntrantAnswer entrant(const Explanation& explanation, const std::string& name) {
    const auto found = std::find_if(explanation.entrants.begin(), explanation.entrants.end(),
                                    [&](const EntrantAnswer& one) { return one.name == name; });
    EXPECT_NE(found, explanation.entrants.end()) << name;
    return found == explanation.entrants.end() ? EntrantAnswer{} : *found;
  }
  // An entrant is an engine, or a rewrite with an engine. Returns the number of the entrant's
  // offers that the switch `by` excludes, and that would be allowed if the switch had another
  // value.
  static std::size_t left_out(const EntrantAnswer& entrant, const std::string& by) {
    for (const Barrier& barrier : entrant.barriers)
      if (barrier.name == by) return barrier.offers;
    return 0;
  }
  const DeviceId cpu_;
  PlanOptions options_;
};

TEST_F(Explaining, WithoutAStoreTheDefaultsFirstOfferRuns) {
  register_fake();
  const Problem problem = problem_of(501);
  const Choice fallback = default_choice(problem);
  const Explanation told = explain(problem, cpu_, options_);
  EXPECT_EQ(told.decision.choice, fallback);
  EXPECT_EQ(told.ruling.rule, Rule::first_offer);
  EXPECT_EQ(told.miss, "");
  EXPECT_EQ(entrant(told, "fake").offers, 2U);
  EXPECT_EQ(script_->prepared, 0) << "an explanation builds nothing";
  const auto& candidates = told.decision.candidates;
  EXPECT_EQ(std::count_if(candidates.begin(), candidates.end(),
                          [](const Candidate& one) { return one.choice.engine == "fake"; }),
            2);
}

TEST_F(Explaining, ARecordIsToldWithItsRuleAndWritesNothing) {
  register_fake();
  const Problem problem = problem_of(502);
  const Choice fallback = default_choice(problem);
  use_store(store::Mode::read_write);
  put(problem, record(fallback));
  const Explanation told = explain(problem, cpu_, options_);
  EXPECT_EQ(told.decision.source, Source::record);
  EXPECT_EQ(to_string(told.decision.choice), "fake@1:one");
  EXPECT_EQ(told.ruling.rule, Rule::faster);
  EXPECT_THAT(told.ruling.why, HasSubstr("takes 66.7 % less time than the default"));
  EXPECT_EQ(script_->prepared, 0);
}

TEST_F(Explaining, AMissTellsWhatTheStoreHas) {
  const Problem problem = problem_of(503);
  use_store(store::Mode::read_write);
  EXPECT_EQ(explain(problem, cpu_, options_).miss, "nothing like it");
  put(problem, record(default_choice(problem)));  // stores a record whose engine is not registered
  store::use(store_);
  const Explanation told = explain(problem, cpu_, options_);
  EXPECT_THAT(told.miss, HasSubstr("fake@1:one cannot be built here"));
  EXPECT_EQ(told.ruling.rule, Rule::first_offer);
}

TEST_F(Explaining, AProvisionalRecordServesAndSaysWhy) {
  register_fake();
  const Problem problem = problem_of(504);
  use_store(store::Mode::read_write);
  Decision decision = record(default_choice(problem));
  decision.unstable = true;
  decision.why = "clocks changed";
  store::use(store_);
  put(problem, decision);
  const Explanation told = explain(problem, cpu_, options_);
  EXPECT_EQ(told.decision.source, Source::record);
  EXPECT_TRUE(told.decision.unstable);
  EXPECT_EQ(told.decision.why, "clocks changed");
  options_.require_firm = true;
  EXPECT_THAT(explain(problem, cpu_, options_).miss, HasSubstr("require_firm refuses"));
}

TEST_F(Explaining, WhatThisProcessMeasuredIsKnownWithoutAStore) {
  register_fake();
  const Problem problem = problem_of(505);
  decide(problem, request(problem, true));
  const Explanation told = explain(problem, cpu_, options_);
  EXPECT_EQ(told.decision.source, Source::memory);
  EXPECT_GT(told.decision.candidates[*told.decision.winner].statistics.samples, 0U);
}

TEST_F(Explaining, ASwitchThatLeavesOffersOutIsNamedWithTheirNumber) {
  script_->offers = {offer("plain"), offer("large"), offer("loose")};
  script_->offers[1].workspace = std::uint64_t{1} << 40;
  script_->offers[2].deterministic = false;
  register_fake();
  options_.deterministic = true;
  const EntrantAnswer fake = entrant(explain(problem_of(506), cpu_, options_), "fake");
  EXPECT_EQ(fake.offers, 1U);
  EXPECT_EQ(left_out(fake, "workspace_limit"), 1U);
  EXPECT_EQ(left_out(fake, "deterministic"), 1U);
  EXPECT_EQ(fake.barriers.size(), 2U);
}

TEST_F(Explaining, AnEngineThatTheOptionsBarIsNamedWithTheSwitch) {
  register_fake();
  options_.engines_barred = {"fake"};
  const EntrantAnswer fake = entrant(explain(problem_of(507), cpu_, options_), "fake");
  EXPECT_EQ(fake.offers, 0U);
  EXPECT_EQ(fake.why_not, "not allowed by the options");
  EXPECT_EQ(left_out(fake, "engines_barred"), 2U);
}

TEST_F(Explaining, StrictPrecisionBarsTheEngineThatTransforms) {
  test::Spec spec;
  spec.channels_in = spec.channels_out = 8;
  spec.in = {12, 12, 1};
  const Problem problem = test::build(spec);
  if (EngineRegistry::instance().find(kTransformingEngine) == nullptr)
    GTEST_SKIP() << "this build has no engine " << kTransformingEngine;
  const EntrantAnswer loose = entrant(explain(problem, cpu_, options_), kTransformingEngine);
  if (loose.offers == 0) GTEST_SKIP() << loose.why_not;
  options_.strict_precision = true;
  const EntrantAnswer strict = entrant(explain(problem, cpu_, options_), kTransformingEngine);
  EXPECT_EQ(strict.offers, 0U);
  EXPECT_EQ(strict.why_not, "not allowed by the options");
  EXPECT_EQ(left_out(strict, "strict_precision"), loose.offers);
  EXPECT_EQ(left_out(strict, "engines_barred"), 0U);
}

TEST_F(Explaining, AnEngineWithoutOffersSaysWhyNot) {
  script_->offers.clear();
  register_fake();
  const EntrantAnswer fake = entrant(explain(problem_of(508), cpu_, options_), "fake");
  EXPECT_EQ(fake.why_not, "scripted to decline");
  EXPECT_TRUE(fake.barriers.empty());
}

TEST_F(Explaining, WhereNothingCanRunTheReasonsOfAllAreTold) {
  register_fake();
  options_.engines_allowed = {"fake"};
  options_.allow_reference = false;
  const Explanation told = explain(problem_of(509), cpu_, options_);
  EXPECT_FALSE(told.decision.winner);
  EXPECT_THAT(told.decision.why, HasSubstr("not allowed by the options"));
}

TEST_F(Explaining, AnEmptyBatchIsRefused) {
  EXPECT_THROW(explain(problem_of(510, 0), cpu_, options_), Error);
}

// Tests work_of(), which counts the bytes and operations of a problem. This problem has 2 x 4 x 5 x
// 7 outputs, each of which is a sum of 3 products.
TEST(Work, EachTensorCountsOnceAndAnOutputThatIsAddedToTwice) {
  Problem problem = problem_of(7);
  Work work = work_of(problem);
  EXPECT_EQ(work.bytes, 4U * (2 * 3 * 5 * 7 + 4 * 3 + 2 * 4 * 5 * 7));
  EXPECT_EQ(work.flops, 2.0 * 2 * 4 * 5 * 7 * 3);
  problem.epilogue = Epilogue::bias;
  problem.accumulate = true;
  EXPECT_EQ(work_of(problem).bytes, work.bytes + 4U * (4 + 2 * 4 * 5 * 7));
}

}  // namespace
}  // namespace atc::conv
