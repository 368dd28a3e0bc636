// Tests the exploration of one layer: the calls of a program run several candidates (arms), one arm
// in each call, and their times show which arm is the fastest. The calls are simulated. Each arm
// has a true time, to which each call adds noise.
#include "tune/exploration.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <vector>

#include "core/random.hpp"

namespace atc::tune {
namespace {

constexpr double kCall = 1e-4;  // the seconds of a call with the default candidate
constexpr int kFirstCalls = 3;  // the number of calls after which the time of the default is known

struct Layer {
  // The time of each arm (candidate of the exploration), divided by the time of the default. The
  // default is the first arm.
  std::vector<double> times;
  double noise = 0.02;  // the largest relative error of a call's time
  double drift = 0;     // the relative increase of the time of a call from each call to the next
  double never_counts = 0;    // the fraction of the calls whose time is not used
  double disturbed = 0;       // the fraction of the calls that take twice as long
  std::size_t in_flight = 0;  // the time of a call is known only after this number of further calls
};

struct Course {
  Exploration exploration;
  // The seconds that the exploration has cost the program: by how much the calls of slower
  // candidates took longer than calls of the default, without noise.
  double cost = 0;
  double total = 0;          // seconds of all calls
  std::size_t slow = 0;      // the number of calls of candidates that are slower than the default
  std::size_t measured = 0;  // the number of calls that the exploration wanted to measure
};

// Simulates `calls` calls of the layer. The candidates are added one after the other during the
// calls, like candidates that a worker thread has checked.
Course run(const Layer& layer, std::uint64_t seed, std::size_t calls = 1000) {
  ExplorationOptions options;
  options.seed = seed;
  Course course{Exploration(options), 0, 0, 0, 0};
  Exploration& exploration = course.exploration;
  struct Flying {
    std::size_t call, arm;
    std::optional<double> seconds;
  };
  std::deque<Flying> flying;
  std::size_t arrived = 1;
  for (std::size_t call = 0; call < calls; ++call) {
    if (call % 7 == 6 && arrived <= layer.times.size()) {
      if (arrived < layer.times.size()) {
        exploration.add(kCall * layer.times[arrived]);
      } else {
        exploration.close();
      }
      ++arrived;
    }
    while (!flying.empty() && call > flying.front().call + layer.in_flight) {
      exploration.ran(flying.front().arm, flying.front().seconds);
      flying.pop_front();
    }
    const Exploration::Turn turn = exploration.next();
    const std::uint64_t random = mix(seed * 7919 + 1, call);
    const auto part = [&](std::uint64_t which) {
      return static_cast<double>(mix(random, which) % 1'000'000) / 1e6;
    };
    const double slower = 1 + layer.drift * static_cast<double>(call);
    const double pure = kCall * layer.times[turn.arm] * slower;
    double seconds = pure * (1 + layer.noise * (2 * part(1) - 1));
    if (part(2) < layer.disturbed) seconds *= 2;
    course.cost += std::max(0.0, pure - kCall * slower);
    course.total += seconds;
    course.slow += layer.times[turn.arm] > 1 ? 1 : 0;
    if (!turn.measured) continue;
    ++course.measured;
    flying.push_back({call, turn.arm, seconds});
    if (part(3) < layer.never_counts) flying.back().seconds.reset();
  }
  return course;
}

double best_of(const Layer& layer) {
  return *std::min_element(layer.times.begin(), layer.times.end());
}

// Returns a layer with one to seven candidates. Their times are between a third of the default's
// time and four times the default's time.
Layer random_layer(std::uint64_t seed) {
  Layer layer;
  layer.times = {1};
  const std::uint64_t count = 1 + mix(seed, 0) % 7;
  for (std::uint64_t i = 0; i < count; ++i) {
    const double part = static_cast<double>(mix(seed, i + 1) % 1000) / 1000;
    layer.times.push_back(std::exp(std::log(1.0 / 3) + part * std::log(12.0)));
  }
  return layer;
}

TEST(Exploration, TheCostStaysWithinItsBoundAndTheBestArmWins) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const Layer layer = random_layer(seed);
    const Course course = run(layer, seed);
    EXPECT_LE(course.cost, 0.02 * 1000 * kCall) << seed;
    EXPECT_TRUE(course.exploration.decided()) << seed;
    // Differences below 3 % may count as a tie, which the default wins. So the winner may be up to
    // 3 % slower than the fastest candidate.
    EXPECT_LE(layer.times[course.exploration.winner()], 1.03 * best_of(layer)) << seed;
    EXPECT_EQ(course.exploration.standing(course.exploration.winner()).outcome, Outcome::won);
  }
}

TEST(Exploration, ManyArmsThatAreALittleSlowerStayWithinTheBound) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Layer layer;
    layer.times.assign(60, 1.5);
    layer.times[0] = 1;
    const Course course = run(layer, seed);
    EXPECT_LE(course.cost, 0.02 * 1000 * kCall) << seed;
    EXPECT_GT(course.cost, 0.01 * 1000 * kCall) << "so the bound has ended it";
    EXPECT_EQ(course.exploration.winner(), 0u) << seed;
  }
}

TEST(Exploration, NoiseDisturbancesAndDriftDoNotBreakTheBound) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Layer layer = random_layer(seed);
    layer.noise = seed % 3 == 0 ? 0.2 : 0.05;
    layer.disturbed = seed % 2 == 0 ? 0.03 : 0;
    layer.drift = seed % 5 == 0 ? 1e-4 : 0;
    const Course course = run(layer, seed);
    EXPECT_LE(course.cost, 0.02 * 1000 * kCall) << seed;
    // The exploration (trying candidates in the program's calls) ends early if its cost reaches a
    // limit. Then the default may win although another candidate is faster. A candidate that is
    // slower than the default must never win.
    EXPECT_LE(layer.times[course.exploration.winner()], 1.02) << seed;
  }
}

TEST(Exploration, TheBestArmWinsDespiteTheNoiseOfCalls) {
  std::size_t missed = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Layer layer = random_layer(seed);
    layer.noise = 0.1;
    const Course course = run(layer, seed, 2000);
    missed += layer.times[course.exploration.winner()] > 1.05 * best_of(layer) ? 1U : 0U;
  }
  EXPECT_LE(missed, 8u);
}

TEST(Exploration, EqualArmsLoseToTheDefault) {
  std::size_t others = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Layer layer;
    layer.times = {1, 1, 1.005, 0.998};
    layer.noise = 0.05;
    const Course course = run(layer, seed);
    EXPECT_TRUE(course.exploration.decided()) << seed;
    others += course.exploration.winner() != 0 ? 1U : 0U;
  }
  EXPECT_LE(others, 4u);
}

TEST(Exploration, AnArmThatIsExpectedToBeFarSlowerGetsNoCall) {
  Layer layer;
  layer.times = {1, 25, 0.5};
  const Course course = run(layer, 3);
  EXPECT_EQ(course.slow, 0u);
  EXPECT_EQ(course.exploration.winner(), 2u);
  EXPECT_EQ(course.exploration.standing(1).outcome, Outcome::skipped);
  EXPECT_FALSE(course.exploration.standing(1).reason.empty());
}

TEST(Exploration, TimesMayBecomeKnownManyCallsLater) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Layer layer = random_layer(seed);
    layer.in_flight = 13;
    const Course course = run(layer, seed, 6000);
    EXPECT_LE(course.cost, 0.02 * 1000 * kCall) << seed;
    EXPECT_LE(layer.times[course.exploration.winner()], 1.03 * best_of(layer)) << seed;
  }
}

TEST(Exploration, CallsThatDoNotCountAreRepeated) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Layer layer = random_layer(seed);
    layer.never_counts = 0.5;
    const Course course = run(layer, seed, 3000);
    EXPECT_LE(course.cost, 0.02 * 1000 * kCall) << seed;
    EXPECT_TRUE(course.exploration.decided()) << seed;
    EXPECT_LE(layer.times[course.exploration.winner()], 1.0) << seed;
  }
}

TEST(Exploration, IfNoCallCountsItGivesUpAndComparesNothing) {
  Layer layer;
  layer.times = {1, 0.5};
  layer.never_counts = 1;
  const Course course = run(layer, 1, 4000);
  EXPECT_TRUE(course.exploration.decided());
  EXPECT_EQ(course.exploration.winner(), 0u);
  EXPECT_FALSE(course.exploration.compared());
}

// A measured call costs the host some microseconds. A program whose device waits for the host in
// each call must not pay for them in each call.
TEST(Exploration, IfNoCallCountsFewAreMeasured) {
  Layer layer;
  layer.times = {1, 0.5};
  layer.never_counts = 1;
  EXPECT_LE(run(layer, 1, 30).measured, 5u);
  EXPECT_LE(run(layer, 1, 1000).measured, 40u);
}

TEST(Exploration, AFasterArmServesTheCallsBetweenTheMeasurements) {
  Layer layer;
  layer.times = {1, 0.5, 0.51};
  const Course course = run(layer, 5, 1000);
  EXPECT_LT(course.total, 0.6 * 1000 * kCall);
}

TEST(Exploration, AnArmWhoseCallFailsIsOut) {
  Exploration exploration({});
  for (int i = 0; i < kFirstCalls; ++i) {
    ASSERT_TRUE(exploration.next().measured);
    exploration.ran(0, kCall);
  }
  const std::size_t arm = exploration.add(kCall);
  exploration.close();
  bool met = false;
  for (int i = 0; i < 20; ++i) {
    const Exploration::Turn turn = exploration.next();
    met = met || turn.arm == arm;
    if (turn.arm == arm) exploration.drop(arm, "it failed");
    if (turn.measured)
      exploration.ran(turn.arm, turn.arm == arm ? std::nullopt : std::optional(kCall));
  }
  EXPECT_TRUE(met);
  EXPECT_TRUE(exploration.decided());
  EXPECT_EQ(exploration.winner(), 0u);
  EXPECT_EQ(exploration.standing(arm).outcome, Outcome::failed);
  EXPECT_EQ(exploration.standing(arm).reason, "it failed");
}

TEST(Exploration, WithoutCandidatesItEndsAtOnce) {
  Exploration exploration({});
  exploration.close();
  EXPECT_TRUE(exploration.decided());
  EXPECT_FALSE(exploration.next().measured);
}

TEST(Exploration, IfAMeasurementIsInterruptedTheOthersGoOn) {
  Exploration exploration({});
  // In this test no candidate is added to the exploration, as if the check of the first candidate
  // never ended. After the first calls of the default, no further call may be measured.
  for (int i = 0; i < kFirstCalls; ++i) {
    ASSERT_TRUE(exploration.next().measured);
    exploration.ran(0, kCall);
  }
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(exploration.next().measured);
  EXPECT_FALSE(exploration.decided());
}

}  // namespace
}  // namespace atc::tune
