// Tests that a race times enough batches to prove that a candidate is faster than the default, and
// how the race divides its budget.
#include <gmock/gmock.h>

#include <vector>

#include "lineup.hpp"
#include "tune/race.hpp"

namespace atc::tune {
namespace {

using simulated::Lineup;
using simulated::Script;
using simulated::taking;

TEST(Proof, AYardstickIsTimedMoreThanOnceHoweverFarBehindItIs) {
  for (const double seconds : {2e-3, 8e-3, 30e-3})
    for (const bool yardstick : {false, true}) {
      SCOPED_TRACE(seconds);
      simulated::Device device({});
      std::vector<Script> scripts{taking(3e-3, 0.02), taking(1e-3, 0.02), taking(seconds, 0.02)};
      scripts[2].yardstick = yardstick;
      Lineup lineup(device, scripts);
      const Result result = race(device, lineup.pointers(), {});
      lineup.expect_well_treated(result);
      EXPECT_EQ(result.winner, 1u);
      if (yardstick)
        EXPECT_GE(result.standings[2].statistics.samples, 2u);
      else
        EXPECT_LE(result.standings[2].statistics.samples, 1u);
    }
}

TEST(Proof, AFasterContestantWinsThoughOneLongCheckHasSpentTheBudget) {
  for (const double budget : {1.0, 2.0}) {
    SCOPED_TRACE(budget);
    simulated::Device device({});
    std::vector<Script> scripts{taking(1.23e-3, 0.01), taking(1.22e-3, 0.01), taking(1.07e-3, 0.01),
                                taking(1.57e-3, 0.01), taking(9e-3, 0.01)};
    scripts[0].check_seconds = 0.8 * budget;
    scripts[4].check_seconds = budget;
    Lineup lineup(device, scripts);
    Options options;
    options.budget_seconds = budget;
    const Result result = race(device, lineup.pointers(), options);
    lineup.expect_well_treated(result);
    EXPECT_EQ(result.winner, 2u);
    EXPECT_FALSE(result.unstable) << result.why;
    EXPECT_TRUE(result.out_of_budget);
    EXPECT_GE(result.standings[2].statistics.samples, 3u);
    // The checks of two candidates take 0.8 and 1 times the budget of the race. In addition to its
    // budget the race may use a reserve of 10 % of the budget.
    EXPECT_LE(result.seconds, (0.8 + 1 + 0.1) * budget + 0.05);
  }
}

TEST(Proof, TheReserveIsATenthOfTheBudget) {
  simulated::Device device({});
  std::vector<Script> scripts{taking(0.15, 0.01), taking(0.14, 0.01)};
  scripts[1].check_seconds = 2;
  Lineup lineup(device, scripts);
  const Result result = race(device, lineup.pointers(), {});
  lineup.expect_well_treated(result);
  EXPECT_LE(result.seconds, 0.15 + 2 + 0.2 + 0.15);
}

// A family of slow candidates, such as cuDNN's engines without tensor cores. The timing of its last
// candidate takes long. This timing must not use up the time for the candidates outside of the
// family.
TEST(Proof, OthersHaveTheirTurnBeforeASlowFamily) {
  const auto slow = [](double seconds) {
    Script script = taking(seconds, 0.01);
    script.groups = {"slow"};
    return script;
  };
  for (const double second : {1.1e-3, 5e-3}) {
    SCOPED_TRACE(second);
    simulated::Device device({});
    std::vector<Script> scripts{taking(1.2e-3, 0.01), slow(5e-3), slow(second), slow(9e-3),
                                taking(1e-3, 0.01)};
    scripts[3].check_seconds = 10;
    scripts[4].compiles = true;
    Lineup lineup(device, scripts);
    const Result result = race(device, lineup.pointers(), {});
    lineup.expect_well_treated(result);
    // If the second candidate of the family is close to the leader, the rest of the family is timed
    // before the candidates outside of the family. Otherwise it is timed after them.
    const bool is_slow = second > 2e-3;
    EXPECT_EQ(result.winner, is_slow ? 4u : 2u);
    EXPECT_EQ(result.standings[4].outcome == Outcome::skipped, !is_slow);
    EXPECT_EQ(lineup[3].prepares(), 1u);
  }
}

}  // namespace
}  // namespace atc::tune
