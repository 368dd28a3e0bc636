// Races of depthwise layers mark kin as hopeless for later races.
#include "conv/race/hopeless_kin.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conv/race/contest.hpp"
#include "fake_engine.hpp"
#include "support/problems.hpp"

namespace atc::conv {
namespace {

class HopelessKin : public testing::Test {
 protected:
  HopelessKin() { request_.widen = true; }

  static Problem depthwise(std::int64_t groups, Direction direction = Direction::forward) {
    test::Spec spec;
    spec.direction = direction;
    spec.batch = 2;
    spec.channels_in = spec.channels_out = spec.groups = groups;
    spec.in = {9, 10, 1};
    spec.kernel = {3, 3, 1};
    return test::build(spec);
  }

  // A race in which this kin took `times` times the winner's time; 0: was dropped in its check.
  void race(const Problem& problem, double times, bool compiles = false, bool unstable = false) {
    Decision decision;
    decision.unstable = unstable;
    decision.candidates.resize(2);
    decision.candidates[0].outcome = tune::Outcome::won;
    decision.candidates[0].statistics.median = 1e-3;
    decision.candidates[1].outcome = tune::Outcome::dropped;
    decision.candidates[1].statistics.median = times * 1e-3;
    decision.candidates[1].kin = compiles ? "" : kin_;
    decision.candidates[1].compiles = compiles;
    decision.winner = 0;
    remember_hopeless_kin(problem, request_, decision);
  }
  // A real race between candidates of one engine; the first is the default, the last `spares` are
  // spare. `describe` sets a candidate's other properties, by its configuration.
  template <typename Describe>
  std::vector<Candidate> contested(const std::vector<std::string>& configurations,
                                   std::size_t spares, const Describe& describe) {
    const Chain chain{{}, std::make_shared<atc_test::FakeEngine>(script_)};
    request_.race.technique = tune::Technique::once;
    Lineup lineup;
    for (const std::string& configuration : configurations) {
      Candidate candidate;
      candidate.choice = {"fake", "1", configuration, {}};
      describe(candidate, configuration);
      lineup.candidates.push_back(candidate);
      lineup.chains.push_back(chain);
    }
    lineup.spares = spares;
    lineup.default_candidate = 0;
    return contest(depthwise(16), request_, std::move(lineup), "", false, {}).decision.candidates;
  }
  bool known(const Problem& problem) const { return known(problem, kin_); }
  bool known(const Problem& problem, const std::string& kin) const {
    return are_known_hopeless(kin, problem, request_);
  }

  Request request_;
  const std::shared_ptr<atc_test::Script> script_ = std::make_shared<atc_test::Script>();
  // Each test has kin of its own, because the process remembers them.
  const std::string kin_ = testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(HopelessKin, AreKnownAfterTwoRaces) {
  race(depthwise(16), 0);
  EXPECT_FALSE(known(depthwise(16)));
  race(depthwise(16), 11);
  EXPECT_TRUE(known(depthwise(16)));
  EXPECT_FALSE(known(depthwise(16), kin_ + "b"));
  EXPECT_FALSE(known(depthwise(16), ""));
}

TEST_F(HopelessKin, AreNotKnownFromRacesBesideOtherWork) {
  race(depthwise(16), 11, false, true);
  race(depthwise(16), 11, false, true);
  EXPECT_FALSE(known(depthwise(16)));
}

TEST_F(HopelessKin, AreSoOfAsManyGroupsOrMoreAndOfTheirKindOfLayerAlone) {
  race(depthwise(16), 11);
  race(depthwise(32), 11);
  EXPECT_FALSE(known(depthwise(16)));
  EXPECT_TRUE(known(depthwise(32)));
  EXPECT_TRUE(known(depthwise(64)));
  EXPECT_FALSE(known(depthwise(64, Direction::backward_data)));
  request_.limits.allow_tf32 = !request_.limits.allow_tf32;
  EXPECT_FALSE(known(depthwise(64)));
}

TEST_F(HopelessKin, AreForgottenWhereOneWasNot) {
  race(depthwise(16), 11);
  race(depthwise(16), 11);
  race(depthwise(64), 9);
  EXPECT_FALSE(known(depthwise(64)));
  race(depthwise(64), 11);
  EXPECT_FALSE(known(depthwise(64)));
}

TEST_F(HopelessKin, RaceWhereSomebodyWantsMore) {
  race(depthwise(16), 11);
  race(depthwise(16), 11);
  request_.widen = false;
  EXPECT_FALSE(known(depthwise(16)));
}

// All candidates that compile count as one kin of a device: each test has a device of its own.
TEST_F(HopelessKin, WhatCompilesIsInVainOnceItWasPlainlyBehindInTwoRaces) {
  request_.device.index = 1;
  race(depthwise(16), 2.5, true);
  EXPECT_FALSE(is_compiled_in_vain(depthwise(16), request_));
  race(depthwise(16), 2.5, true);
  EXPECT_TRUE(is_compiled_in_vain(depthwise(16), request_));
  EXPECT_FALSE(is_compiled_in_vain(depthwise(8), request_));
  EXPECT_FALSE(is_compiled_in_vain(depthwise(16, Direction::backward_data), request_));
  race(depthwise(64), 1.9, true);
  EXPECT_FALSE(is_compiled_in_vain(depthwise(64), request_));
}

TEST_F(HopelessKin, WhatNeedsNoCompilingTeachesNothingOfIt) {
  request_.device.index = 2;
  race(depthwise(16), 5);
  race(depthwise(16), 5);
  EXPECT_FALSE(is_compiled_in_vain(depthwise(16), request_));
  EXPECT_FALSE(known(depthwise(16)));
}

TEST_F(HopelessKin, WhatCompilesIsLeftOutOnceThatWasInVain) {
  const auto raced = [&] {
    return contested({"default", "compiled", "other"}, 0,
                     [](Candidate& one, const auto& name) { one.compiles = name != "other"; });
  };
  EXPECT_TRUE(raced()[1].ran());
  race(depthwise(16), 2.5, true);
  race(depthwise(16), 2.5, true);
  const std::vector<Candidate> left = raced();
  ASSERT_EQ(left.size(), 3u);
  EXPECT_TRUE(left[0].ran());
  EXPECT_EQ(left[1].choice.configuration, "other");
  EXPECT_TRUE(left[1].ran());
  EXPECT_EQ(left[2].outcome, tune::Outcome::skipped);
  EXPECT_THAT(left[2].reason, testing::HasSubstr("compiled candidates were far behind"));
}

TEST_F(HopelessKin, AreLeftOutOfTheNextRaceUnlessTheyAreTheDefault) {
  const auto raced = [&] {
    return contested(
        {"default", "other", "spare", "last spare"}, 2,
        [&](Candidate& one, const auto& name) { one.kin = name == "last spare" ? "" : kin_; });
  };
  EXPECT_TRUE(raced()[1].ran());
  race(depthwise(16), 11);
  race(depthwise(16), 11);
  const std::vector<Candidate> left = raced();
  ASSERT_EQ(left.size(), 4u);
  EXPECT_EQ(left[0].choice.configuration, "default");
  EXPECT_TRUE(left[0].ran());
  EXPECT_EQ(left[1].choice.configuration, "last spare");
  for (const std::size_t i : {2u, 3u}) {
    EXPECT_EQ(left[i].outcome, tune::Outcome::skipped);
    EXPECT_THAT(left[i].reason, testing::HasSubstr("hopeless in the last races"));
  }
}

// Races of other layers neither mark kin nor skip them.
TEST_F(HopelessKin, OtherLayersAreLeftAlone) {
  test::Spec spec;
  spec.channels_in = spec.channels_out = 16;
  spec.groups = 4;
  const Problem grouped = test::build(spec);
  race(grouped, 11);
  race(grouped, 11);
  EXPECT_FALSE(known(grouped));
}

}  // namespace
}  // namespace atc::conv
