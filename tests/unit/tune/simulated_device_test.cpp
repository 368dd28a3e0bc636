// Tests the simulated device, on which the other tests of races rely.
#include "simulated/device.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "lineup.hpp"
#include "tune/statistics.hpp"

namespace atc::simulated {
namespace {

std::vector<double> batches(Device& device, Contestant& contestant, int count,
                            std::size_t calls = 1) {
  std::vector<double> logs;
  for (int i = 0; i < count; ++i) {
    logs.push_back(std::log(device.time_batch(contestant.runnable(), 1, calls).seconds_per_call));
  }
  return logs;
}

void ready(Contestant& contestant) {
  contestant.prepare();
  contestant.check(std::numeric_limits<double>::infinity());
}

TEST(SimulatedDevice, NoiseIsPerBatchAndAsScripted) {
  Device device({});
  Script script;
  script.seconds = 2e-3;
  script.noise = 0.03;
  Contestant contestant(device, script);
  ready(contestant);
  const std::vector<double> logs = batches(device, contestant, 4000, 5);
  // The standard deviation of n values has a relative deviation of 1 / sqrt(2 n) = 1.1 %. Four
  // times this deviation is allowed.
  EXPECT_NEAR(tune::deviation(logs) / 0.03, 1, 0.045);
  EXPECT_NEAR(tune::mean(logs), std::log(2e-3), 4 * 0.03 / std::sqrt(4000));
  EXPECT_EQ(contestant.runs(), 20000u);
}

TEST(SimulatedDevice, EqualSeedsTellEqualTimes) {
  for (const std::uint64_t other : {7u, 8u}) {
    Machine first_machine, second_machine;
    first_machine.seed = 7;
    second_machine.seed = other;
    Device first(first_machine), second(second_machine);
    Script script;
    script.noise = 0.03;
    Contestant a(first, script), b(second, script);
    ready(a);
    ready(b);
    EXPECT_EQ(batches(first, a, 5) == batches(second, b, 5), other == 7u);
  }
}

TEST(SimulatedDevice, OutliersComeAtTheirRate) {
  Device device({});
  Script script;
  script.outlier_rate = 0.1;
  script.outlier_factor = 4;
  Contestant contestant(device, script);
  ready(contestant);
  int outliers = 0;
  for (const double log : batches(device, contestant, 1000)) {
    outliers += log > std::log(script.seconds * 2);
  }
  EXPECT_NEAR(outliers, 100, 4 * std::sqrt(90));
}

TEST(SimulatedDevice, LoadHeatsRestCoolsAndHeatBringsTheClockDown) {
  Machine machine;
  machine.full_clock_hz = 2e9;
  machine.thermal = {0.1, 0.5, 0.6, true};
  Device device(machine);
  Script script;
  script.seconds = 1e-3;
  script.slowdown = [](double clock) { return 1 / clock; };
  Contestant contestant(device, script);
  ready(contestant);
  const BatchTime cool = device.time_batch(contestant.runnable(), 1, 10);
  EXPECT_DOUBLE_EQ(cool.seconds_per_call, 1e-3);
  EXPECT_DOUBLE_EQ(*cool.clock_hz, 2e9);
  EXPECT_FALSE(cool.throttled);
  device.time_batch(contestant.runnable(), 1, 2000);
  const BatchTime hot = device.time_batch(contestant.runnable(), 1, 10);
  EXPECT_NEAR(hot.seconds_per_call, 1e-3 / 0.6, 1e-6);
  EXPECT_NEAR(*hot.clock_hz, 1.2e9, 1e6);
  EXPECT_TRUE(hot.throttled);
  device.rest(1);
  EXPECT_LT(device.heat(), 1e-4);
  EXPECT_DOUBLE_EQ(device.clock(), 1);
}

TEST(SimulatedDevice, FailuresAndHangsComeAtTheirRun) {
  Device device({});
  Script script;
  script.fails_at_run = 3;
  script.hangs_at_run = 2;
  script.hang_seconds = 5;
  Contestant contestant(device, script);
  ready(contestant);
  EXPECT_NEAR(device.time_batch(contestant.runnable(), 1, 1).seconds_per_call, 1e-3, 1e-12);
  EXPECT_NEAR(device.time_batch(contestant.runnable(), 1, 1).seconds_per_call, 5.001, 1e-9);
  EXPECT_THROW(device.time_batch(contestant.runnable(), 1, 1), Error);
}

TEST(SimulatedDevice, MisuseOfAContestantIsNoted) {
  Device device({});
  Contestant contestant(device, {});
  contestant.release();
  EXPECT_THAT(contestant.misuse(), testing::HasSubstr("released without being prepared"));
  device.time_batch(contestant.runnable(), 1, 1);
  EXPECT_THAT(contestant.misuse(), testing::HasSubstr("run without being prepared"));
}

}  // namespace
}  // namespace atc::simulated
