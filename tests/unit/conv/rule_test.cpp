// Tests ruling_of(), which finds out by which rule a decision has chosen its winner. It only uses
// the stored times and outcomes of the candidates.
#include "conv/decide/rule.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace atc::conv {
namespace {

using testing::HasSubstr;
using tune::Outcome;

// Returns a candidate that was timed in five samples; times are in seconds.
Candidate timed(const char* configuration, double median, Outcome outcome) {
  Candidate candidate;
  candidate.choice = {"fake", "1", configuration, {}};
  candidate.outcome = outcome;
  candidate.statistics.samples = 5;
  candidate.statistics.median = median;
  return candidate;
}

// Returns a decision whose default is the first candidate.
Decision decided(std::vector<Candidate> candidates, std::size_t winner) {
  Decision decision;
  decision.candidates = std::move(candidates);
  decision.winner = winner;
  decision.default_candidate = 0;
  decision.choice = decision.candidates[winner].choice;
  return decision;
}

TEST(RuleOf, TheDefaultThatIsTheFastest) {
  const Ruling told =
      ruling_of(decided({timed("a", 1e-3, Outcome::won), timed("b", 2e-3, Outcome::lost)}, 0));
  EXPECT_EQ(told.rule, Rule::fastest);
}

TEST(RuleOf, ACandidateBeyondTheTieMargin) {
  const Ruling told =
      ruling_of(decided({timed("a", 2e-3, Outcome::lost), timed("b", 1e-3, Outcome::won)}, 1));
  EXPECT_EQ(told.rule, Rule::faster);
  EXPECT_THAT(told.why, HasSubstr("takes 50.0 % less time than the default"));
}

TEST(RuleOf, TheDefaultWinsATieWithAFasterOne) {
  const Ruling told =
      ruling_of(decided({timed("a", 1.005e-3, Outcome::won), timed("b", 1e-3, Outcome::tied)}, 0));
  EXPECT_EQ(told.rule, Rule::tie_default);
  EXPECT_THAT(told.why, HasSubstr("fake@1:b takes 0.5 % less time than it"));
}

TEST(RuleOf, AnOpaqueDefaultLosesATie) {
  const Ruling told =
      ruling_of(decided({timed("a", 1e-3, Outcome::tied), timed("b", 1.005e-3, Outcome::won)}, 1));
  EXPECT_EQ(told.rule, Rule::tie_kept);
}

TEST(RuleOf, TheLighterOfTwoThatTie) {
  const Ruling told =
      ruling_of(decided({timed("a", 2e-3, Outcome::lost), timed("b", 1e-3, Outcome::tied),
                         timed("c", 1.005e-3, Outcome::won)},
                        2));
  EXPECT_EQ(told.rule, Rule::tie_lighter);
  EXPECT_THAT(told.why, HasSubstr("fake@1:b takes 0.5 % less time than the choice, a tie"));
}

TEST(RuleOf, OneThatTheHostIssuesInTime) {
  Candidate bound = timed("b", 1e-3, Outcome::lost);
  bound.statistics.host = 5e-3;
  const Ruling told = ruling_of(
      decided({timed("a", 3e-3, Outcome::lost), bound, timed("c", 2e-3, Outcome::won)}, 2));
  EXPECT_EQ(told.rule, Rule::host);
  EXPECT_THAT(told.why, HasSubstr("the host takes longer to issue it"));
}

// New engines can be timed later against the winner of an earlier race. Then the candidates' times
// come from two races, and are not comparable. So a candidate of the earlier race may have a
// shorter time than the winner, as "b" has here. This time must not change the rule.
TEST(RuleOf, AFasterTimeOfAnEarlierRaceIsNoRule) {
  const Ruling told =
      ruling_of(decided({timed("a", 3e-3, Outcome::lost), timed("b", 1e-3, Outcome::lost),
                         timed("c", 2e-3, Outcome::won)},
                        2));
  EXPECT_EQ(told.rule, Rule::faster);
}

TEST(RuleOf, OnlyOneStanding) {
  Candidate wrong = timed("b", 0, Outcome::wrong_result);
  wrong.statistics.samples = 0;
  EXPECT_EQ(ruling_of(decided({timed("a", 1e-3, Outcome::won), wrong}, 0)).rule, Rule::alone);
}

TEST(RuleOf, APreciseOneInPlaceOfTheWinner) {
  Decision decision =
      decided({timed("a", 1e-3, Outcome::wrong_result), timed("b", 2e-3, Outcome::won)}, 1);
  decision.narrowed = true;
  EXPECT_EQ(ruling_of(decision).rule, Rule::precise);
}

TEST(RuleOf, WithoutTimesItIsTheFirstOffer) {
  Decision decision = decided({Candidate{}, Candidate{}}, 0);
  EXPECT_EQ(ruling_of(decision).rule, Rule::first_offer);
}

}  // namespace
}  // namespace atc::conv
