// Tests a case that users of cuDNN have reported, whose search takes one sample of each kernel.
// Kernel A always takes 3.61 ms. Kernel B takes 3.50 ms while the board is cool, and up to 5.77 ms
// while the board is hot and lowers its clock (throttles).
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "lineup.hpp"
#include "tune/race.hpp"

namespace atc::tune {
namespace {

using simulated::Lineup;
using simulated::Machine;
using simulated::Script;
using simulated::taking;

constexpr double kA = 3.61e-3, kCoolB = 3.50e-3, kHotB = 5.77e-3;
constexpr double kLeastClock = 0.6;
constexpr double kFullClock = 1.98e9;

double b_at(double clock) { return kCoolB + (kHotB - kCoolB) * (1 - clock) / (1 - kLeastClock); }

// Returns a board. The seed determines how fast it heats up (50 to 400 ms), at which temperature it
// throttles, and whether it reports the throttling.
Machine board(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform;
  Machine machine;
  machine.seed = random();
  machine.full_clock_hz = kFullClock;
  machine.thermal.tau_seconds = 0.05 * std::pow(8.0, uniform(random));
  machine.thermal.limit = 0.3 + 0.5 * uniform(random);
  machine.thermal.least_clock = kLeastClock;
  machine.thermal.tells_throttling = random() % 2 == 0;
  return machine;
}

std::vector<Script> kernels() {
  // A batch has 0.3 % noise, as on a board without other work. On a cool board A and B differ by
  // 3.1 %. This is 7 times the standard deviation of the difference between two single samples.
  Script a = taking(kA, 0.003), b = taking(kCoolB, 0.003);
  b.slowdown = [](double clock) { return b_at(clock) / kCoolB; };
  // A preparation takes so long that the device, which is idle meanwhile, can cool down.
  a.prepare_seconds = b.prepare_seconds = 0.05;
  return {a, b};
}

Result race_on(const Machine& machine, Technique technique, std::size_t default_index) {
  simulated::Device device(machine);
  Lineup lineup(device, kernels());
  Options options;
  options.technique = technique;
  options.default_index = default_index;
  options.budget_seconds = std::numeric_limits<double>::infinity();
  options.seed = machine.seed;
  return race(device, lineup.pointers(), options);
}

constexpr std::size_t kIsA = 0, kIsB = 1;

TEST(Throttling, OncePicksTheOneThatIsFastWhileCool) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    ASSERT_EQ(race_on(board(seed), Technique::once, seed % 2).winner, kIsB) << seed;
  }
}

TEST(Throttling, SustainedPicksTheOneThatIsFastUnderLoad) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const Result result = race_on(board(seed), Technique::sustained, seed % 2);
    ASSERT_EQ(result.winner, kIsA) << seed;
    ASSERT_FALSE(result.unstable) << seed << ": " << result.why;
  }
}

TEST(Throttling, InterleavedIsRightForTheClocksItRecordedOrUnstable) {
  int stored = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const Result result = race_on(board(seed), Technique::interleaved, seed % 2);
    ASSERT_TRUE(result.winner.has_value());
    if (result.unstable) continue;
    ++stored;
    const double clock = *result.standings[*result.winner].statistics.clock_hz / kFullClock;
    const double taken = *result.winner == kIsA ? kA : b_at(clock);
    EXPECT_LE(taken, 1.03 * std::min(kA, b_at(clock))) << "seed " << seed << " clock " << clock;
  }
  EXPECT_GT(stored, 0);
}

TEST(Throttling, InterleavedOnABoardHotAlreadyIsRightOrUnstable) {
  // Other work has run before the race. So at its beginning the board may be cool, throttled, or in
  // between.
  int stored = 0, beaten_default = 0, kept = 0;
  for (std::uint64_t seed = 0; seed < 10000; ++seed) {
    simulated::Device device(board(seed));
    std::vector<Script> scripts = kernels();
    for (Script& script : scripts) {
      script.noise = 0.02;
      script.prepare_seconds = 0;
    }
    Script before = taking(5e-3);
    for (std::uint64_t i = 0; i < seed % 100; ++i) device.execute(before);
    Lineup lineup(device, scripts);
    Options options;
    options.default_index = seed % 2;
    const Result result = race(device, lineup.pointers(), options);
    if (result.unstable) continue;
    ++stored;
    const double clock = *result.standings[*result.winner].statistics.clock_hz / kFullClock;
    if (options.default_index == kIsA && kA > 1.03 * b_at(clock)) {
      ++beaten_default;
      kept += *result.winner == kIsA;
      continue;
    }
    const double taken = *result.winner == kIsA ? kA : b_at(clock);
    EXPECT_LE(taken, 1.03 * std::min(kA, b_at(clock))) << "seed " << seed << " clock " << clock;
  }
  EXPECT_GT(stored, 5000);
  EXPECT_GT(beaten_default, 500);
  // The default wins unless another candidate is shown to be faster. So there is one way to be
  // wrong: A is the default, the board is cool, so that B is 3.1 % faster, and by chance B looks no
  // faster than A. At a noise of 2 % this happens on 7 of 10,000 boards (0.8 % of the boards on
  // which it can happen). The choice of A loses 3.1 %. docs/tuning.md promises a loss of at most 3
  // %, except in 2 % of the cases.
  EXPECT_LE(kept, beaten_default / 50);
}

}  // namespace
}  // namespace atc::tune
