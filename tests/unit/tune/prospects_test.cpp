// Tests that a contestant gets a turn (is timed) only if it is expected to save more time than its
// turn takes.
#include "tune/prospects.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "lineup.hpp"
#include "tune/race.hpp"

namespace atc::tune {
namespace {

using simulated::Lineup;
using simulated::Script;
using simulated::taking;
using testing::HasSubstr;

constexpr double kCalls = 10'000;

Script in_groups(double seconds, std::vector<std::string> groups) {
  Script script = taking(seconds);
  script.groups = std::move(groups);
  return script;
}

Script believed(double seconds, double log_ratio, double deviation) {
  Script script = taking(seconds);
  script.belief.log_ratio = log_ratio;
  script.belief.deviation = deviation;
  return script;
}

Result run(const std::vector<Script>& scripts, double calls = kCalls, double least = 0) {
  simulated::Device device({});
  Lineup lineup(device, scripts);
  Options options;
  options.budget_seconds = 100;
  options.expected_calls = calls;
  options.least_seconds = least;
  Result result = race(device, lineup.pointers(), options);
  lineup.expect_well_treated(result);
  return result;
}

std::size_t turns(const Result& result) {
  std::size_t count = 0;
  for (const Standing& standing : result.standings) count += standing.outcome != Outcome::skipped;
  return count;
}

TEST(Prospects, TheSavingIsThatOfALogNormalTime) {
  std::mt19937_64 random(7);
  for (const double mean : {-1.0, 0.0, 0.7}) {
    for (const double deviation : {0.1, 0.8}) {
      std::normal_distribution<double> normal(mean, deviation);
      double sum = 0;
      constexpr int kDraws = 200'000;
      for (int i = 0; i < kDraws; ++i) sum += std::max(0.0, 1 - std::exp(normal(random)));
      EXPECT_NEAR(expected_saving(mean, deviation, 0), sum / kDraws, 0.003)
          << mean << ' ' << deviation;
    }
  }
  // Times are relative to the time of the leader. No candidate can be faster than the bound (the
  // third argument), so at most 1 - bound can be saved.
  EXPECT_LE(expected_saving(-1, 0.5, 0.98), 0.02);
  EXPECT_EQ(expected_saving(-1, 0.5, 1.1), 0);
  EXPECT_NEAR(expected_saving(std::log(0.5), 0, 0), 0.5, 0.01);
}

TEST(Prospects, ATurnIsTakenOnlyIfItPays) {
  const std::vector<Script> scripts{taking(10e-6), taking(5e-6)};
  EXPECT_EQ(run(scripts, 1e6).winner, 1u);
  const Result few = run(scripts, 100);
  EXPECT_EQ(few.winner, 0u);
  EXPECT_EQ(few.standings[1].outcome, Outcome::skipped);
  EXPECT_THAT(few.standings[1].reason, HasSubstr("in 100 calls"));
  EXPECT_FALSE(few.unstable);
  EXPECT_FALSE(few.incomplete);
  EXPECT_FALSE(few.out_of_budget);
}

TEST(Prospects, TheDefaultAndAYardstickAreAlwaysTimed) {
  std::vector<Script> scripts{taking(10e-6), taking(11e-6), taking(9e-6)};
  scripts[2].yardstick = true;
  const Result result = run(scripts, 1e-3);
  EXPECT_GT(result.standings[0].statistics.samples, 0u);
  EXPECT_GT(result.standings[2].statistics.samples, 0u);
  EXPECT_EQ(result.standings[1].outcome, Outcome::skipped);
}

TEST(Prospects, TheFavouriteIsTimedFirstWhetherOrNotItsTurnPays) {
  simulated::Device device({});
  Lineup lineup(device, {taking(10e-6), taking(9e-6), taking(5e-6)});
  Options options;
  options.expected_calls = 1e-3;
  options.favourite = 2;
  const Result few = race(device, lineup.pointers(), options);
  EXPECT_EQ(few.winner, 2u);
  EXPECT_EQ(few.standings[1].outcome, Outcome::skipped);
}

TEST(Prospects, TheMostPromisingOneComesFirst) {
  // The third contestant is expected to be the fastest, so it is timed before the second one. It
  // then leads by so much that timing the second one no longer pays.
  const Result result =
      run({taking(1e-3), believed(0.9e-3, 0.0, 0.1), believed(0.1e-3, std::log(0.1), 0.1)});
  EXPECT_EQ(result.winner, 2u);
  EXPECT_EQ(result.standings[1].outcome, Outcome::skipped);
}

TEST(Prospects, WhatIsKnownToBeSlowGetsNoTurn) {
  const Script slow = believed(0.5e-3, std::log(20), 0.3);
  EXPECT_EQ(run({taking(1e-3), slow}).standings[1].outcome, Outcome::skipped);
  // If all other contestants have wrong results, the slow contestant gets a turn (is timed)
  // nevertheless.
  Script wrong = taking(1e-3);
  wrong.wrong = true;
  EXPECT_EQ(run({wrong, slow}).winner, 1u);
}

TEST(Prospects, OneFarBehindSpeaksForItsGroup) {
  const auto last = [](const std::vector<Script>& scripts) {
    return run(scripts).standings.back().outcome;
  };
  const Script leader = taking(0.2e-3);
  const auto slow = in_groups(3e-3, {"e", "", "a"});
  EXPECT_EQ(last({leader, slow, slow, in_groups(0.1e-3, {"e", "", "a"})}), Outcome::skipped);
  EXPECT_EQ(last({leader, slow, slow, in_groups(0.1e-3, {"f", "", "b"})}), Outcome::won);
  EXPECT_EQ(last({leader, slow, slow, taking(0.1e-3)}), Outcome::won);
  // A group is a set of similar contestants. If one contestant of a group is close to the leader,
  // other contestants of the group still get their turns (are timed).
  const auto near = in_groups(0.21e-3, {"e", "", "a"});
  EXPECT_EQ(last({leader, near, slow, in_groups(0.1e-3, {"e", "", "a"})}), Outcome::won);
  // The time of a contestant with wrong results is not used to expect the times of its group
  // (similar contestants).
  Script wrong = slow;
  wrong.wrong = true;
  EXPECT_EQ(last({leader, wrong, wrong, in_groups(0.1e-3, {"e", "", "a"})}), Outcome::won);
}

// A contestant gets a turn (is timed) only if that is expected to pay. The cost of a turn includes
// the time to compile the contestant: at first 0.3 s is expected, and later the time that
// compilations in this race have taken. So a turn with compiling only pays if much time can be
// saved.
TEST(Prospects, CompilingIsWorthItOnlyForALargeGain) {
  const auto compiled = [](double seconds) {
    Script script = in_groups(seconds, {"compiled"});
    script.compiles = true;
    script.prepare_seconds = 0.5;
    return script;
  };
  const Script leader = taking(1e-3);
  EXPECT_EQ(run({taking(10e-6), compiled(5e-6)}).winner, 0u);
  EXPECT_EQ(run({leader, compiled(0.5e-3)}).winner, 1u);
  const Result result = run({leader, compiled(2.5e-3), compiled(2.5e-3), compiled(0.5e-3)});
  EXPECT_EQ(result.standings[3].outcome, Outcome::skipped);
}

TEST(Prospects, ALeaderCloseToTheBoundEndsTheRace) {
  std::vector<Script> scripts{taking(120e-6), taking(100e-6)};
  for (int i = 0; i < 20; ++i) scripts.push_back(taking(130e-6));
  const std::size_t all = turns(run(scripts));
  EXPECT_EQ(run(scripts, kCalls, 99e-6).winner, 1u);
  EXPECT_EQ(turns(run(scripts, kCalls, 99.9e-6)), 2u);
  EXPECT_GT(all, 10u);
}

// The race learns the expected cost of a turn (the timing of a contestant) from its turns so far.
// So if turns are expensive, fewer contestants get a turn, and the race ends sooner.
TEST(Prospects, DearTurnsEndTheRaceSooner) {
  const auto fields = [](double check) {
    std::vector<Script> scripts(30, taking(100e-6));
    for (std::size_t i = 1; i < scripts.size(); ++i) {
      scripts[i].seconds = 110e-6;
      scripts[i].check_seconds = check;
    }
    return turns(run(scripts));
  };
  EXPECT_EQ(fields(0.5e-3), 30u);
  EXPECT_LT(fields(2), 10u);
}

// An execution cannot be interrupted. So the expected time of one execution of a slow contestant is
// a part of the cost of timing the contestant.
TEST(Prospects, TheExecutionOfAHopelessOneIsACost) {
  // Both slow contestants are faster than the default with the same probability, because their
  // expected times are two deviations above the default's time.
  const auto outcome = [](double ratio) {
    const Script slow = believed(ratio * 1e-3, std::log(ratio), std::log(ratio) / 2);
    return run({taking(1e-3), slow}).standings[1].outcome;
  };
  EXPECT_NE(outcome(4), Outcome::skipped);
  EXPECT_EQ(outcome(400), Outcome::skipped);
}

// A contestant whose execution takes more than ten times the leader's time is hopeless and is not
// timed. The expected times of its group are nevertheless derived from the time of this execution,
// and not from the limit of ten times the leader's time.
TEST(Prospects, OneHopelessSpeaksForItsGroupWithItsOwnTime) {
  const auto last = [](double seconds) {
    Script slow = in_groups(seconds, {"e"});
    slow.checked_by_runs = true;
    Script other = in_groups(0.9e-3, {"e"});
    other.belief.log_ratio = 0.5;
    return run({taking(1e-3), slow, other}, 1e6).standings.back().outcome;
  };
  EXPECT_NE(last(11e-3), Outcome::skipped);
  EXPECT_EQ(last(3), Outcome::skipped);
}

}  // namespace
}  // namespace atc::tune
