// Tests which candidates a worker thread picks for a check while the program runs, and in which
// order. The picks depend on beliefs: the expected times of candidates, with their uncertainty.
#include "tune/picks.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace atc::tune {
namespace {

constexpr double kCall = 1e-3;  // the seconds of one call with the default candidate
constexpr double kMany = 1e6;   // the number of expected calls; it is so large that each check pays

// Returns the belief (expected time with its uncertainty) that a candidate takes `ratio` times as
// long as the default.
Belief expected(double ratio, double deviation = 0.3) {
  Belief belief;
  belief.log_ratio = std::log(ratio);
  belief.deviation = deviation;
  belief.seconds = 1e-3;
  belief.compiling = 0;
  return belief;
}

TEST(Picks, TheCandidateThatIsExpectedToBeTheFastestComesFirst) {
  Picks picks({expected(1.2), expected(0.5), expected(0.8)}, kCall, 0);
  ASSERT_TRUE(picks.next(kMany));
  EXPECT_EQ(picks.next(kMany)->candidate, 1u);
  picks.checked(1, std::nullopt);
  EXPECT_EQ(picks.next(kMany)->candidate, 2u) << "the first one cannot be used";
}

TEST(Picks, ACandidateThatMayBeFarSlowerCostsItsRunsInFull) {
  // Both candidates are expected to take as long as the default, and are faster with the same
  // probability. But the time of the second one is so uncertain that it may take a hundred times as
  // long. So the first one must be picked.
  const Picks picks({expected(1, 0.5), expected(1, 2.5)}, 0.1, 0);
  EXPECT_EQ(picks.next(kMany)->candidate, 0u);
}

TEST(Picks, AfterAFastCandidateTheSlowerOnesDoNotPay) {
  Picks picks({expected(0.3, 0.1), expected(0.9, 0.1), expected(0.95, 0.1)}, kCall, 0);
  picks.checked(0, 0.3 * kCall);
  EXPECT_FALSE(picks.next(kMany));
  Picks wrong({expected(0.3, 0.1), expected(0.9, 0.1), expected(0.95, 0.1)}, kCall, 0);
  wrong.checked(0, 2 * kCall);
  EXPECT_TRUE(wrong.next(kMany)) << "the first one was slower than expected";
}

TEST(Picks, ThereIsNoPickWhoseCheckCostsMoreThanItSaves) {
  const Picks picks({expected(0.5, 0.1)}, kCall, 0);
  const auto pick = picks.next(kMany);
  ASSERT_TRUE(pick);
  const double enough = pick->cost / pick->saving;
  EXPECT_TRUE(picks.next(1.01 * enough));
  EXPECT_FALSE(picks.next(0.99 * enough));
  EXPECT_TRUE(picks.next(std::numeric_limits<double>::infinity()));
}

TEST(Picks, TheFirstCheckOfALayerCostsMore) {
  Picks picks({expected(0.5), expected(0.5)}, kCall, 0.25);
  const double first = picks.next(kMany)->cost;
  picks.checked(0, std::nullopt);
  EXPECT_NEAR(first - picks.next(kMany)->cost, 0.25, 1e-12);
}

TEST(Picks, CompilingIsPartOfTheCost) {
  Belief compiles = expected(0.5);
  compiles.compiling = 0.3;
  const Picks picks({compiles}, kCall, 0);
  EXPECT_GT(picks.next(kMany)->cost, 0.3);
}

}  // namespace
}  // namespace atc::tune
