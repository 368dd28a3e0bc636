// Tests the samples that each technique takes, and the time that it computes from them.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

#include "lineup.hpp"
#include "tune/race.hpp"

namespace atc::tune {
namespace {

using simulated::Lineup;
using simulated::Machine;
using simulated::Script;
using simulated::taking;
using testing::HasSubstr;

Options options_of(Technique technique) {
  Options options;
  options.technique = technique;
  options.budget_seconds = std::numeric_limits<double>::infinity();
  return options;
}

Script with_factors(double seconds, std::vector<double> factors) {
  Script script = taking(seconds);
  script.factors = std::move(factors);
  return script;
}

struct Told {
  Result result;
  std::vector<std::size_t> runs;
};

Told run(Technique technique, const std::vector<Script>& scripts, const Machine& machine = {}) {
  simulated::Device device(machine);
  Lineup lineup(device, scripts);
  Told told{race(device, lineup.pointers(), options_of(technique)), {}};
  lineup.expect_well_treated(told.result);
  for (std::size_t i = 0; i < lineup.size(); ++i) told.runs.push_back(lineup[i].runs());
  return told;
}

// The tests below are about the techniques once, median_of_three and till_stable. They are defined
// as in cuDNN's frontend: one warm-up, then 1, 3, or up to 100 samples of one execution each.

TEST(Once, OneWarmUpOneSample) {
  const Told told = run(Technique::once, {taking(2e-3), with_factors(1e-3, {9, 1.5, 0.1})});
  EXPECT_EQ(told.runs, (std::vector<std::size_t>{2, 2}));
  EXPECT_EQ(told.result.winner, 1u);
  EXPECT_NEAR(told.result.standings[1].statistics.median, 1.5e-3, 1e-9);
}

TEST(Once, OneDisturbedSampleDecides) {
  EXPECT_EQ(run(Technique::once, {taking(2e-3), with_factors(1e-3, {1, 3, 1})}).result.winner, 0u);
}

TEST(MedianOfThree, ThreeSamplesTheMiddleOne) {
  const Told told =
      run(Technique::median_of_three, {taking(2e-3), with_factors(1e-3, {9, 3, 1.2, 1.1})});
  EXPECT_EQ(told.runs, (std::vector<std::size_t>{4, 4}));
  EXPECT_EQ(told.result.winner, 1u);
  EXPECT_NEAR(told.result.standings[1].statistics.median, 1.2e-3, 1e-9);
}

TEST(TillStable, StopsAtTheFirstSampleThatIsNotFivePercentFaster) {
  // The samples are 10, 9, 8 and 7.7 ms. The ratios 9/10 and 8/9 are below 0.95, but 7.7/8 is not.
  // So the sample of 7.7 ms is the last one.
  const Told falling =
      run(Technique::till_stable, {taking(9e-3), with_factors(1e-3, {50, 10, 9, 8, 7.7, 1})});
  EXPECT_EQ(falling.runs[1], 5u);
  EXPECT_EQ(falling.result.winner, 1u);
  EXPECT_NEAR(falling.result.standings[1].statistics.min, 7.7e-3, 1e-9);
  // If the times do not fall, there are two samples after the warm-up.
  EXPECT_EQ(run(Technique::till_stable, {taking(1e-3), taking(1e-3)}).runs,
            (std::vector<std::size_t>{3, 3}));
}

TEST(TillStable, TheSampleThatStopsTakesPartInTheMinimum) {
  // The second sample is only 4 % faster, so it ends the sampling. The time of the second sample
  // must still count. Otherwise the default would win.
  const Told told =
      run(Technique::till_stable, {taking(1e-3), with_factors(1e-3, {1, 1, 0.96, 0.5})});
  EXPECT_EQ(told.runs[1], 3u);
  EXPECT_EQ(told.result.winner, 1u);
}

TEST(TillStable, NoMoreThanAHundredSamples) {
  std::vector<double> factors;
  for (int i = 0; i < 200; ++i) factors.push_back(std::pow(0.9, i));
  EXPECT_EQ(run(Technique::till_stable, {taking(1), with_factors(1, factors)}).runs[1], 101u);
}

TEST(Interleaved, BatchesAreLongEnoughToRead) {
  // A batch has as many calls as take at least about 200 us: 8 calls of 25 us, or 1 call of 240 us.
  const Told told = run(Technique::interleaved, {taking(25e-6), taking(240e-6)});
  // One call is timed to determine the batch size. The other calls are batches of 8 calls.
  EXPECT_EQ(told.runs[0] % 8, 1u);
  EXPECT_GE(told.runs[0], 9u);
  // This contestant is far slower than the other one. It runs one batch, and a second batch as a
  // confirmation.
  EXPECT_EQ(told.runs[1], 2u);
}

TEST(Interleaved, ColdFirstRunsDoNotDecide) {
  // The faster candidate is slow in its first batch, but not so slow that it is dropped at once.
  const Told told = run(Technique::interleaved, {taking(1e-3), with_factors(0.9e-3, {1.6, 1})});
  EXPECT_EQ(told.result.winner, 1u);
  EXPECT_NEAR(told.result.standings[1].statistics.max, 0.9e-3,
              1e-9);  // the samples of the first round do not count
}

TEST(Interleaved, OneDisturbedBatchDoesNotPutTheBestOut) {
  const Told told = run(Technique::interleaved, {taking(1e-3), with_factors(0.9e-3, {2, 1})});
  EXPECT_EQ(told.result.winner, 1u);
}

TEST(Interleaved, OneDisturbedExecutionOfAShortCallDoesNotPutTheBestOut) {
  // Other work of 1.5 ms runs during the first execution of the second candidate. So the length of
  // its first batch is set to this one execution. The race does not notice the other work.
  const Told told = run(Technique::interleaved, {taking(45e-6), with_factors(40e-6, {37, 1})});
  EXPECT_EQ(told.result.winner, 1u);
}

TEST(Interleaved, ADisturbedFirstBatchDoesNotPutTheDefaultOut) {
  const Told told = run(Technique::interleaved, {with_factors(1e-3, {20, 1}), taking(1.2e-3)});
  EXPECT_EQ(told.result.winner, 0u);
}

TEST(Interleaved, ThoseFarBehindGetFewExecutions) {
  const Told told = run(Technique::interleaved, {taking(1e-3, 0.01), taking(1.02e-3, 0.01),
                                                 taking(3.5e-3, 0.01), taking(1.3e-3, 0.01)});
  EXPECT_EQ(told.runs[2], 1u);
  EXPECT_LE(told.runs[3], 3u);
  EXPECT_EQ(told.result.standings[2].outcome, Outcome::dropped);
  EXPECT_THAT(told.result.standings[2].reason, HasSubstr("the leader's time after 1 batch"));
  EXPECT_EQ(told.result.standings[3].outcome, Outcome::dropped);
}

TEST(Interleaved, ThreeBatchesDecideBeyondFifteenPercentAndTheNoiseHasToBeKnownWithin) {
  EXPECT_EQ(run(Technique::interleaved, {taking(1e-3), taking(1.2e-3)}).runs[1], 3u);
  // The race may use the measured noise only if its estimate has at least six degrees of freedom.
  // Each round gives one degree for each of the two contestants.
  EXPECT_GE(run(Technique::interleaved, {taking(1e-3), taking(1.1e-3)}).runs[1], 4u);
}

TEST(Interleaved, DisturbedBatchesSeldomChangeTheChoice) {
  // 5 % of the batches take twice as long. The technique `once` chooses wrongly if the only sample
  // of the better candidate is disturbed: in at least 5 % of the races. `interleaved` could only
  // choose wrongly if two of the first three batches are disturbed (0.7 %). It also takes the
  // measured noise into account, and so is wrong even less often.
  constexpr int kRaces = 1000;
  int wrong = 0, once_wrong = 0;
  for (std::uint64_t seed = 0; seed < kRaces; ++seed) {
    Machine machine;
    machine.seed = seed;
    std::vector<Script> scripts;
    for (const double seconds : {1.10e-3, 1e-3, 1.06e-3, 1.2e-3}) {
      scripts.push_back(taking(seconds, 0.01));
      scripts.back().outlier_rate = 0.05;
      scripts.back().outlier_factor = 2;
    }
    wrong += run(Technique::interleaved, scripts, machine).result.winner != 1u;
    once_wrong += run(Technique::once, scripts, machine).result.winner != 1u;
  }
  // With the technique `once`, 50 of 1,000 races are expected to choose wrongly, with a standard
  // deviation of 7.
  EXPECT_GE(once_wrong, 30);
  EXPECT_LE(wrong, 10);
}

TEST(Interleaved, MovesOnWithADriftThatAllShare) {
  // The clock of the device falls by 8 % within a second, and the device does not report its clock.
  // The batches of one round follow each other so closely that all candidates are slowed down
  // equally.
  int right = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Machine machine;
    machine.seed = seed;
    machine.clock_ramp = [](double now) { return 1 - 0.08 * std::min(now, 1.0); };
    std::vector<Script> scripts = {taking(10.3e-3, 0.005), taking(10e-3, 0.005)};
    for (Script& script : scripts) script.slowdown = [](double clock) { return 1 / clock; };
    const Result result = run(Technique::interleaved, scripts, machine).result;
    right += result.winner == 1u && !result.unstable;
  }
  EXPECT_GE(right, 98);
}

TEST(Interleaved, RoundsUnderAnotherClockAreRepeated) {
  // The device throttles for 5 ms in a race of about 20 ms. The clock is halved, which makes B
  // slower but not A.
  Machine machine;
  machine.full_clock_hz = 1e9;
  machine.clock_ramp = [](double now) { return now > 0.004 && now < 0.009 ? 0.5 : 1.0; };
  Script a = taking(1.05e-3, 0.02), b = taking(1e-3, 0.02);
  b.slowdown = [](double clock) { return 1 / clock; };
  int right = 0, braked = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    machine.seed = seed;
    const Result result = run(Technique::interleaved, {a, b}, machine).result;
    right += result.winner == 1u && !result.unstable;
    if (result.seconds < 0.014)
      continue;  // the race ended early: the clock was reduced for most of its time
                 // the time
    ++braked;
    EXPECT_DOUBLE_EQ(*result.standings[1].statistics.clock_hz, 1e9);
    EXPECT_LT(result.standings[1].statistics.max, 1.5e-3);
  }
  EXPECT_GT(braked, 50);
  EXPECT_GE(right, 90);
}

TEST(Interleaved, ThrottledBatchesDoNotCount) {
  Machine machine;
  // The simulated machine reports that heat lowers its clock, but it does not report the clock.
  machine.thermal = {0.02, 0.5, 0.5, true};
  Script a = taking(1.05e-3, 0.02), b = taking(1e-3, 0.02);
  b.slowdown = [](double clock) { return 1 / clock; };
  const Result result = run(Technique::interleaved, {a, b}, machine).result;
  EXPECT_TRUE(result.unstable);
  EXPECT_THAT(result.why, HasSubstr("changing clocks"));
  EXPECT_LT(result.standings[1].statistics.max, 1.2e-3);
}

TEST(Interleaved, RoundsBesideOtherWorkDoNotCount) {
  Machine machine;
  int firm = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    machine.seed = seed;
    // In each 12 ms, other work runs on the device for 2 ms. The seed determines when it begins.
    const double phase = 12e-5 * static_cast<double>(seed);
    machine.beside = [=](double now) { return std::fmod(now + phase, 12e-3) < 2e-3 ? 4.0 : 1.0; };
    const Script a = taking(1.05e-3, 0.01), b = taking(1e-3, 0.01);
    const Result result = run(Technique::interleaved, {a, b}, machine).result;
    ASSERT_TRUE(result.winner);
    const Statistics& figures = result.standings[*result.winner].statistics;
    if (result.unstable) continue;
    ++firm;
    EXPECT_EQ(result.winner, 1u) << seed;
    EXPECT_LT(figures.max, 1.2e-3) << seed;
  }
  EXPECT_GT(firm, 50);
}

TEST(Interleaved, OtherWorkAllTheTimeEndsTheRaceUnstable) {
  Machine machine;
  machine.beside = [](double) { return 3.0; };
  const Result result =
      run(Technique::interleaved, {taking(1.05e-3, 0.01), taking(1e-3, 0.01)}, machine).result;
  EXPECT_TRUE(result.unstable);
  EXPECT_THAT(result.why, HasSubstr("no round had the device alone"));
}

TEST(Interleaved, OneBatchPutsNobodyOutWhereOtherWorkWasSeen) {
  for (const bool company : {false, true}) {
    Machine machine;
    // Other work runs on the device during the default's first batch.
    if (company) machine.beside = [](double now) { return now < 1e-4 ? 2.0 : 1.0; };
    // Other work begins and ends within the first batch of the second candidate. The race does not
    // notice this work.
    Script other = taking(1e-3, 0.01);
    other.slowdown = [first = true](double) mutable {
      return std::exchange(first, false) ? 8.0 : 1.0;
    };
    const Result result =
        run(Technique::interleaved, {taking(1.2e-3, 0.01), other}, machine).result;
    EXPECT_EQ(result.winner, company ? 1u : 0u);
  }
}

TEST(Interleaved, ABatchBesideOtherWorkPutsNobodyOutWhoseLeaderWasAlone) {
  Machine machine;
  // Other work begins after the default's first batch. It ends only after the other contestant's
  // disturbed batch was repeated for the last time.
  machine.beside = [](double now) { return now > 1.5e-3 && now < 40e-3 ? 15.0 : 1.0; };
  Script other = taking(1e-3, 0.01);
  other.prepare_seconds = 1e-3;
  const Result result = run(Technique::interleaved, {taking(1.2e-3, 0.01), other}, machine).result;
  EXPECT_EQ(result.winner, 1u);
  EXPECT_FALSE(result.unstable) << result.why;
}

TEST(Interleaved, AFasterBatchBesideOtherWorkPutsNobodyOutEither) {
  Machine machine;
  // Other work makes the batches of the second candidate take 15 times as long. The first execution
  // of the third candidate is not slowed down, so at first this candidate looks faster than the
  // second one.
  machine.beside = [](double now) { return now > 1.5e-3 && now < 52e-3 ? 15.0 : 1.0; };
  std::vector<Script> scripts = {taking(1.2e-3, 0.01), taking(1e-3, 0.01), taking(1.1e-3, 0.01)};
  scripts[1].prepare_seconds = 1e-3;
  scripts[2].slowdown = [first = true](double) mutable {
    return std::exchange(first, false) ? 1.0 / 15 : 1.0;
  };
  const Result result = run(Technique::interleaved, scripts, machine).result;
  EXPECT_EQ(result.winner, 1u) << result.standings[1].reason;
}

TEST(Interleaved, ASecondLookAloneReplacesAFasterOneBesideOtherWork) {
  Machine machine;
  // Other work runs during the first batch of the other contestant, so the race repeats this batch.
  // By chance it is 10 % faster than the later ones.
  machine.beside = [](double now) { return now > 1.5e-3 && now < 2.6e-3 ? 1.0001 : 1.0; };
  Script other = with_factors(5e-3, {0.9, 1, 1, 1});
  other.prepare_seconds = 1e-3;
  const Result result = run(Technique::interleaved, {taking(1.2e-3), other}, machine).result;
  EXPECT_EQ(result.standings[1].outcome, Outcome::dropped);
  EXPECT_LE(result.standings[1].statistics.executions, 3u);
}

TEST(Interleaved, BatchesBesideOtherWorkEndNoCompiling) {
  Machine machine;
  machine.beside = [](double now) { return now > 1.5e-3 && now < 80e-3 ? 15.0 : 1.0; };
  std::vector<Script> scripts = {taking(1.2e-3, 0.01), taking(1.1e-3, 0.01), taking(1e-3, 0.01)};
  for (std::size_t i = 1; i < scripts.size(); ++i) {
    scripts[i].prepare_seconds = 1e-3;
    scripts[i].compiles = true;
  }
  const Result result = run(Technique::interleaved, scripts, machine).result;
  EXPECT_EQ(result.winner, 2u);
}

TEST(Sustained, OtherWorkUnderLoadIsTold) {
  Machine machine;
  machine.beside = [](double) { return 3.0; };
  const Result result =
      run(Technique::sustained, {taking(1.05e-3, 0.01), taking(1e-3, 0.01)}, machine).result;
  EXPECT_TRUE(result.unstable);
  EXPECT_THAT(result.why, HasSubstr("other work was on the device"));
}

TEST(Interleaved, ClocksThatNeverSettleEndTheRaceUnstable) {
  Machine machine;
  machine.full_clock_hz = 1e9;
  machine.clock_ramp = [](double now) { return 0.7 + 0.3 * std::cos(now * 700); };
  Script a = taking(1.02e-3, 0.01), b = taking(1e-3, 0.01);
  for (Script* script : {&a, &b}) script->slowdown = [](double clock) { return 1 / clock; };
  const Told told = run(Technique::interleaved, {a, b}, machine);
  EXPECT_TRUE(told.result.unstable);
  EXPECT_THAT(told.result.why, HasSubstr("clocks"));
  EXPECT_LT(told.runs[0], 60u);  // a batch is repeated only a limited number of times
}

TEST(Interleaved, WhatNoiseMayHaveTurnedIsSeldomUnmarked) {
  // The default is 6 % slower than the other candidate, and the noise is 10 %. After 100 rounds the
  // measured difference has a noise of 10 % x sqrt(2 / 100) = 1.4 %. A single test at the end would
  // be wrong in at most 5 % of the choices that are not marked as unstable. The limit of 20 in 200
  // races is twice as high, because the race tests its result after every round.
  int wrong = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Machine machine;
    machine.seed = seed;
    const Told told =
        run(Technique::interleaved, {taking(1.06e-3, 0.1), taking(1e-3, 0.1)}, machine);
    wrong += !told.result.unstable && told.result.winner == 0u;
    EXPECT_LE(told.runs[0], 101u);  // a race has at most 100 rounds
  }
  EXPECT_LE(wrong, 20);
}

TEST(Interleaved, NoiseThatHidesEverythingIsMarked) {
  // The candidates are equally fast, and the noise is 20 %. After 100 rounds the measured
  // difference still has a noise of 2.8 %. A choice is not marked as unstable if this noise is
  // below 3 % / 1.66. By chance a race may look decided early, and is then not marked either. So
  // the test only expects that most races are marked.
  int marked = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Machine machine;
    machine.seed = seed;
    const Told told = run(Technique::interleaved, {taking(1e-3, 0.2), taking(1e-3, 0.2)}, machine);
    marked += told.result.unstable;
  }
  EXPECT_GE(marked, 33);
}

TEST(Interleaved, NeverWorseThanTheDefault) {
  // Runs races of 1,000 random fields: 2 to 20 candidates with a noise of 0.5 to 5 % and a random
  // default. Another candidate than the default is chosen only if it is shown to be faster with
  // 99.5 % confidence at that moment. So in a few of the 1,000 fields the choice may be slower than
  // the default by more than the tie margin, but only by a little.
  std::mt19937_64 random(99);
  std::uniform_real_distribution<double> uniform;
  int worse = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    Machine machine;
    machine.seed = seed;
    simulated::Device device(machine);
    const std::size_t count = 2 + random() % 19;
    const double noise = 0.005 * std::pow(10.0, uniform(random));
    std::vector<Script> scripts;
    for (std::size_t i = 0; i < count; ++i) {
      scripts.push_back(taking(1e-3 * std::pow(1.5, uniform(random)), noise, random() % 2));
    }
    Options options = options_of(Technique::interleaved);
    options.default_index = random() % count;
    Lineup lineup(device, scripts);
    const Result result = race(device, lineup.pointers(), options);
    const double ratio = scripts[*result.winner].seconds / scripts[options.default_index].seconds;
    worse += ratio > 1.01;
    EXPECT_LT(ratio, 1.05);
  }
  EXPECT_LE(worse, 3);
}

// The candidate `kept` is slower than the default by less than the tie margin, and this difference
// is soon known. `kept` must nevertheless stay in the race, because the default is opaque (its
// kernel is not known) and would lose a tie with `kept`. A third, noisy candidate makes the race
// long.
TEST(Interleaved, WhomTheDefaultYieldsToStaysWhileItMayTie) {
  std::vector<double> noise;
  for (int i = 0; i < 500; ++i) noise.push_back(0.92 + 0.16 * (i * 2 % 13) / 12);
  Script opaque = taking(1e-3), kept = taking(1.008e-3);
  opaque.opaque = true;
  kept.compiles = kept.kept = true;
  const Told told =
      run(Technique::interleaved, {opaque, kept, with_factors(1e-3, std::move(noise))});
  EXPECT_NE(told.result.standings[1].outcome, Outcome::dropped);
  EXPECT_NE(told.result.winner, 0u);
}

// The default is 1.2 % slower than the leader, and 0.3 % slower than the candidate `lighter`. So
// `lighter` ties with both of them. `lighter` must not win, because it is not shown to be faster
// than the default.
TEST(Interleaved, WhatTiesWithTheLeaderHasToBeShownFasterThanTheDefaultToo) {
  const Script usual = taking(1.012e-3, 0.001, 8), fastest = taking(1e-3, 0.001, 16),
               lighter = taking(1.009e-3, 0.001);
  int wrong = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Machine machine;
    machine.seed = seed;
    wrong += run(Technique::interleaved, {usual, fastest, lighter}, machine).result.winner == 2u;
  }
  EXPECT_LE(wrong, 1);
}

TEST(Interleaved, EveryRoundHasEachContestantOnceWhateverTheSeed) {
  const auto runs = [](std::uint64_t seed) {
    simulated::Device device({});
    Lineup lineup(device, {taking(1e-3), taking(1.005e-3), taking(1.01e-3)});
    Options options = options_of(Technique::interleaved);
    options.seed = seed;
    race(device, lineup.pointers(), options);
    return std::vector<std::size_t>{lineup[0].runs(), lineup[1].runs(), lineup[2].runs()};
  };
  // With this seed, the sum i + seed + round, by which the order of a round is drawn, overflows in
  // a late round. This must have no effect.
  EXPECT_EQ(runs(std::numeric_limits<std::uint64_t>::max() - 2), runs(0));
}

TEST(Sustained, ANoisyFieldIsDecidedUnderLoad) {
  int right = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Machine machine;
    machine.seed = seed;
    const Result result =
        run(Technique::sustained, {taking(1.05e-3, 0.03), taking(1e-3, 0.03), taking(1.5e-3, 0.03)},
            machine)
            .result;
    right += result.winner == 1u && !result.unstable;
    // At least two contestants ran two passes each. A pass takes half a second.
    EXPECT_GE(result.seconds, 2 * 2 * 0.5);
  }
  EXPECT_GE(right, 49);
}

TEST(Sustained, TheDefaultStandsUnlessAnotherIsShownFaster) {
  // The candidates differ by 2 %, and the noise is 10 %. From two windows of 75 batches each, the
  // difference is known with a standard deviation of 10 % x sqrt(2 / 150) = 1.2 %. Only a measured
  // difference of 3 % or more counts as shown, which happens in about one race of five.
  int stood = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Machine machine;
    machine.seed = seed;
    stood += run(Technique::sustained, {taking(1.02e-3, 0.1), taking(1e-3, 0.1)}, machine)
                 .result.winner == 0u;
  }
  EXPECT_GE(stood, 30);
}

// The candidates are equally fast. All batches of one run are shifted together by about 1 %, and
// single batches within a run differ by 0.5 %. A test that counted each batch as an independent
// observation would call one candidate faster in one race of five.
TEST(Sustained, WhatShiftsWholeRunsIsNoProof) {
  int replaced = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Machine machine;
    machine.seed = seed;
    machine.clock_ramp = [seed](double now) {
      std::mt19937_64 random(1000 * seed + static_cast<std::uint64_t>(now / 0.7));
      return 0.97 + std::clamp(std::normal_distribution<double>(0, 0.01)(random), -0.03, 0.03);
    };
    Script a = taking(1e-3, 0.005), b = a;
    for (Script* script : {&a, &b}) script->slowdown = [](double clock) { return 1 / clock; };
    replaced += run(Technique::sustained, {a, b}, machine).result.winner == 1u;
  }
  EXPECT_LE(replaced, 4);
}

TEST(Sustained, ThrottledTimesCountAndAreReported) {
  Machine machine;
  machine.full_clock_hz = 1e9;
  machine.thermal = {0.1, 0.5, 0.6, true};
  Script a = taking(1.2e-3, 0.01), b = taking(1e-3, 0.01);
  b.slowdown = [](double clock) { return 1 / clock; };
  const Result result = run(Technique::sustained, {b, a}, machine).result;
  EXPECT_EQ(result.winner, 1u);
  EXPECT_FALSE(result.unstable) << result.why;
  EXPECT_NEAR(result.standings[0].statistics.median, 1e-3 / 0.6, 0.02e-3);
  EXPECT_NEAR(*result.standings[0].statistics.clock_hz, 0.6e9, 0.01e9);
}

TEST(Sustained, AClockThatNeverSettlesIsMarked) {
  Machine machine;
  machine.full_clock_hz = 1e9;
  machine.clock_ramp = [](double now) { return 0.8 + 0.2 * std::cos(now * 10); };
  Script a = taking(1.02e-3), b = taking(1e-3);
  for (Script* script : {&a, &b}) script->slowdown = [](double clock) { return 1 / clock; };
  const Result result = run(Technique::sustained, {a, b}, machine).result;
  EXPECT_TRUE(result.unstable);
  EXPECT_THAT(result.why, HasSubstr("not steady under load"));
}

TEST(Sustained, CutShortItIsMarked) {
  simulated::Device device({});
  Lineup lineup(device, {taking(1e-3, 0.01), taking(1.05e-3, 0.01)});
  Options options = options_of(Technique::sustained);
  options.budget_seconds = 1;
  const Result result = race(device, lineup.pointers(), options);
  EXPECT_TRUE(result.unstable);
  EXPECT_THAT(result.why, HasSubstr("before every finalist"));
  EXPECT_EQ(result.winner, 0u);
}

}  // namespace
}  // namespace atc::tune
