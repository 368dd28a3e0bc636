// Tests records that have several decisions, each for another roster (the engines that took part in
// the race).
#include "conv/record.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "store/entry.hpp"

namespace atc::conv {
namespace {

Decision decision(const Choice& choice, Roster roster) {
  Decision made;
  made.choice = choice;
  made.candidates.resize(1);
  made.candidates[0].choice = choice;
  made.candidates[0].outcome = tune::Outcome::won;
  made.winner = made.default_candidate = 0;
  made.roster = std::move(roster);
  return made;
}

const Choice kOne{"one", "1", "a", {}}, kNewOne{"one", "2", "b", {}}, kOther{"other", "1", "c", {}};

TEST(Roster, CoversItsMembersInTheirVersions) {
  const Roster roster{{"one", "1"}, {"other", "1"}};
  EXPECT_TRUE(roster.covers(Roster{{"one", "1"}}));
  EXPECT_FALSE(roster.covers(Roster{{"one", "2"}}));
  EXPECT_EQ((Roster{{"one", "2"}, {"other", "1"}}).without(roster), (Roster{{"one", "2"}}));
}

TEST(Record, WhatAnotherVersionWonStaysForThoseThatHaveIt) {
  Record record;
  add(record, decision(kOne, {{"one", "1"}, {"other", "1"}}));
  add(record, decision(kNewOne, {{"one", "1"}, {"one", "2"}, {"other", "1"}}));
  ASSERT_EQ(record.size(), 2u);
  EXPECT_EQ(record[0].choice, kNewOne);
  EXPECT_EQ(record[1].choice, kOne);
}

TEST(Record, WhatEverybodyCanBuildReplacesWhatFewerWereAskedFor) {
  Record record;
  add(record, decision(kOne, {{"one", "1"}, {"other", "1"}}));
  add(record, decision(kOther, {{"one", "1"}, {"one", "2"}, {"other", "1"}}));
  ASSERT_EQ(record.size(), 1u);
  EXPECT_EQ(record[0].choice, kOther);
}

TEST(Record, WhoeverCannotBuildTheChoiceOfCapturedCallsKeepsTheirDecision) {
  for (const Choice& captured : {kOther, kNewOne}) {
    Decision newer = decision(kOther, {{"one", "1"}, {"one", "2"}, {"other", "1"}});
    newer.candidates.resize(2);
    newer.candidates[1].choice = captured;
    newer.captured = 1;
    Record record;
    add(record, decision(kOne, {{"one", "1"}, {"other", "1"}}));
    add(record, newer);
    EXPECT_EQ(record.size(), captured == kNewOne ? 2u : 1u);
  }
}

// A roster is the list of the engines that took part in a race. A program that excludes an engine
// cannot use a decision with this engine. So the program's own decision, which has a smaller
// roster, is kept in the record beside the decision with the larger roster.
TEST(Record, AnsweringMoreIsNoReasonToForgetWhoCannotRunIt) {
  Record record;
  add(record, decision(kOther, {{"other", "1"}}));
  add(record, decision(kOne, {{"one", "1"}, {"other", "1"}}));
  EXPECT_EQ(record.size(), 2u);
}

TEST(Record, ARewriteIsALinkThatMustBeThere) {
  Choice chain = kOther;
  chain.rewrites = {{"detour", "1", ""}};
  Record record;
  add(record, decision(kOther, {{"other", "1"}}));
  add(record, decision(chain, {{"detour", "1"}, {"other", "1"}}));
  EXPECT_EQ(record.size(), 2u);
}

Decision provisional(const Choice& choice, Roster roster) {
  Decision made = decision(choice, std::move(roster));
  made.unstable = true;
  made.risk = 0.07;
  made.budget_seconds = 2;
  made.why = "the winner may be 7.0 % slower than another one";
  return made;
}

TEST(Record, AFirmDecisionReplacesAProvisionalOneAndNotTheOtherWayRound) {
  Record record;
  EXPECT_TRUE(add(record, provisional(kOne, {{"one", "1"}, {"other", "1"}})));
  EXPECT_TRUE(add(record, provisional(kOther, {{"one", "1"}, {"other", "1"}})));
  ASSERT_EQ(record.size(), 1u);
  EXPECT_EQ(record[0].choice, kOther);  // the newer provisional decision has replaced the older one
  EXPECT_TRUE(add(record, decision(kOne, {{"one", "1"}, {"other", "1"}})));
  ASSERT_EQ(record.size(), 1u);
  EXPECT_FALSE(record[0].unstable);
  EXPECT_FALSE(add(record, provisional(kOther, {{"one", "1"}, {"other", "1"}})));
  ASSERT_EQ(record.size(), 1u);
  EXPECT_EQ(record[0].choice, kOne);
}

// If strict_precision excludes a record's winner, another candidate of the record is chosen. Such a
// decision is called narrowed. Only requests with strict_precision use it.
TEST(Record, ANarrowedDecisionTakesTheRoomOfNarrowedOnesOnly) {
  const Roster everybody{{"one", "1"}, {"other", "1"}};
  Decision narrowed = decision(kOther, everybody);
  narrowed.narrowed = true;
  Record record;
  EXPECT_TRUE(add(record, decision(kOne, everybody)));
  EXPECT_TRUE(add(record, narrowed));
  EXPECT_TRUE(add(record, narrowed));
  EXPECT_EQ(record.size(), 2u);
  EXPECT_TRUE(add(record, decision(kOne, everybody)));
  ASSERT_EQ(record.size(), 1u) << "which has all candidates, so serves strict requests, too";
  EXPECT_FALSE(record.front().narrowed);

  Record of_strict;
  EXPECT_TRUE(add(of_strict, narrowed));
  EXPECT_TRUE(add(of_strict, provisional(kOne, everybody))) << "it serves those who are not strict";
  EXPECT_EQ(of_strict.size(), 2u);
}

TEST(Record, WhatMoreWereAskedForStandsBehindWhatIsFirm) {
  Record record;
  add(record, decision(kOne, {{"one", "1"}}));
  EXPECT_TRUE(add(record, provisional(kOne, {{"one", "1"}, {"other", "1"}})));
  ASSERT_EQ(record.size(), 2u);
  EXPECT_FALSE(record[0].unstable);
  EXPECT_TRUE(record[1].unstable);
  EXPECT_TRUE(add(record, decision(kOther, {{"one", "1"}, {"other", "1"}})));
  ASSERT_EQ(record.size(), 2u);
  EXPECT_EQ(record[0].choice, kOther);
  EXPECT_EQ(record[1].choice, kOne);
  EXPECT_FALSE(record[1].unstable);
}

TEST(Record, KeepsTheNewest) {
  Record record;
  for (int i = 0; i < 6; ++i) {
    const std::string version = std::to_string(i);
    add(record, decision({"one", version, "a", {}}, {{"one", version}}));
  }
  ASSERT_EQ(record.size(), kMostDecisions);
  EXPECT_EQ(record.front().choice.version, "5");
}

TEST(Record, SurvivesJson) {
  Choice chain = kOther;
  chain.rewrites = {{"detour", "1", "8"}, {"nhwc", "2", ""}};
  Record record;
  add(record, decision(kOther, {{"other", "1"}}));
  add(record, decision(chain, {{"detour", "1"}, {"nhwc", "2"}, {"other", "1"}}));
  const Record after = record_from_json(to_json(record));
  ASSERT_EQ(after.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(after[i].choice, record[i].choice);
    EXPECT_EQ(after[i].roster, record[i].roster);
  }
  store::Json one_broken = to_json(record);
  one_broken.erase("roster");
  EXPECT_EQ(record_from_json(one_broken).size(), 1u);
  one_broken.erase("others");
  EXPECT_THROW(record_from_json(one_broken), Error);
}

}  // namespace
}  // namespace atc::conv
