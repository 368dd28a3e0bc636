// Tests candidates whose calls the host issues more slowly than the device executes them. Such
// candidates are also timed in CUDA graphs, in which the host's time does not matter. So a race may
// have two winners: one for eager calls, and one for calls that are captured in a graph.
#include <gmock/gmock.h>

#include <limits>

#include "lineup.hpp"
#include "tune/race.hpp"

namespace atc::tune {
namespace {

using simulated::Lineup;
using simulated::Machine;
using simulated::Script;
using testing::HasSubstr;

constexpr double kMicro = 1e-6;

// Returns a candidate with these times in microseconds: `queued` for an execution in a batch that
// the host issues call by call, `host` for the host to issue one execution, `in_graph` for an
// execution in a graph.
Script plan(double queued, double host, double in_graph, std::size_t launches) {
  Script script;
  script.seconds = queued * kMicro;
  script.host_seconds = host * kMicro;
  script.graph_seconds = in_graph * kMicro;
  script.launches = launches;
  return script;
}

Script single(double device, double host = 5) { return plan(device, host, device, 1); }

Result run(const std::vector<Script>& scripts, Technique technique = Technique::interleaved,
           bool has_graphs = true) {
  Machine machine;
  machine.has_graphs = has_graphs;
  simulated::Device device(machine);
  const Lineup lineup(device, scripts);
  Options options;
  options.technique = technique;
  options.budget_seconds = std::numeric_limits<double>::infinity();
  const Result result = race(device, lineup.pointers(), options);
  lineup.expect_well_treated(result);
  return result;
}

TEST(LaunchModes, HostTimeAndLaunchesAreKept) {
  const Result result = run({single(100), plan(90, 20, 90, 8)});
  EXPECT_EQ(result.winner, 1u);
  EXPECT_FALSE(result.captured);
  const Statistics& first = result.standings[0].statistics;
  const Statistics& second = result.standings[1].statistics;
  EXPECT_NEAR(first.host, 5 * kMicro, 1e-12);
  EXPECT_EQ(first.launches, 1u);
  EXPECT_NEAR(second.host, 20 * kMicro, 1e-12);
  EXPECT_EQ(second.launches, 8u);
  EXPECT_FALSE(first.in_graph || second.in_graph || second.host_bound());
}

// The times were measured for backward-weight of the layer conv1d_g8_k64 in half precision. The
// candidate `many` launches one kernel for each of 8 groups, and `one` launches a single kernel.
TEST(LaunchModes, WhatTheHostCannotFeedIsTimedInAGraphAndWinsCapturedCalls) {
  for (const bool is_default : {true, false}) {
    const Script many = plan(430, 430, 94, 8), one = single(106);
    const std::size_t of_many = is_default ? 0 : 1;
    const Result result = run(is_default ? std::vector{many, one} : std::vector{one, many});
    EXPECT_EQ(result.winner, 1 - of_many);
    EXPECT_EQ(result.captured, of_many);
    EXPECT_FALSE(result.unstable) << result.why;
    const Standing& standing = result.standings[of_many];
    EXPECT_TRUE(standing.statistics.in_graph && standing.statistics.host_bound());
    EXPECT_NEAR(standing.statistics.median, 94 * kMicro, 1e-9);
    EXPECT_EQ(standing.outcome, Outcome::lost);
    EXPECT_THAT(standing.reason, HasSubstr("the host 430 µs to issue it"));
  }
}

TEST(LaunchModes, OnlyLikeIsCompared) {
  // Here an execution in a graph takes 10 % less time than a queued call. So times in graphs must
  // not be compared with times of queued calls: if one candidate is timed in a graph, all must be
  // timed in graphs.
  const Result result = run({plan(5, 3, 4.5, 1), plan(4.9, 20, 4.4, 1), plan(4.7, 3, 4.2, 1)});
  EXPECT_EQ(result.winner, 2u);
  EXPECT_FALSE(result.captured);
  EXPECT_TRUE(result.standings[0].statistics.in_graph);
  EXPECT_NEAR(result.standings[2].statistics.median, 4.2 * kMicro, 1e-10);
}

TEST(LaunchModes, TheHostBoundOneLosesTiesAndTheOtherIsTheChoiceOfBoth) {
  for (const double close : {100.0, 99.5}) {
    const Result result = run({plan(close, 150, close, 20), single(100)});
    EXPECT_EQ(result.winner, 1u);
    EXPECT_FALSE(result.captured);
  }
}

TEST(LaunchModes, AHostBoundWinnerStaysWhereNobodyIsCheaper) {
  // The other candidate needs more time on the device than the winner needs on the host.
  const Result dearer = run({single(160), plan(100, 150, 100, 20)});
  EXPECT_EQ(dearer.winner, 1u);
  EXPECT_FALSE(dearer.captured);
  // For all three candidates the host needs 5 us to issue a call, which is longer than the device
  // needs.
  const Result alike = run({single(4, 5), single(3, 5), single(4.5, 5)});
  EXPECT_EQ(alike.winner, 1u);
  EXPECT_FALSE(alike.captured);
}

TEST(LaunchModes, TheCheapestIsKeptThoughFarBehindForTheDevice) {
  for (const bool before : {true, false}) {
    const Script many = plan(900, 900, 100, 64), one = single(300);
    const Result result = run(before ? std::vector{single(880), one, many, single(400)}
                                     : std::vector{single(880), many, single(400), one});
    EXPECT_EQ(result.winner, before ? 1u : 3u);
    EXPECT_EQ(result.captured, before ? 2u : 1u);
  }
}

TEST(LaunchModes, WhereNothingIsRecordedTheBatchCounts) {
  // this candidate has no recorded launches, so it cannot be captured
  Script closed = plan(430, 430, 94, 0);
  const Result result = run({single(106), closed});
  EXPECT_EQ(result.winner, 0u);
  EXPECT_FALSE(result.captured);
  EXPECT_FALSE(result.standings[1].statistics.in_graph);
  const Result none = run({single(106), plan(94, 430, 94, 8)}, Technique::interleaved, false);
  EXPECT_EQ(none.winner, 0u);
  EXPECT_FALSE(none.captured);
  EXPECT_EQ(none.standings[1].statistics.launches, 0u);
}

TEST(LaunchModes, NoiseOfTheHostDecidesNothing) {
  // The host limits both candidates. The difference of their host times is less than the noise of
  // the host.
  const Result result = run({single(4.8, 5), single(2.5, 5.04)});
  EXPECT_EQ(result.winner, 1u);
}

TEST(LaunchModes, WhatIsHopelessAndLongIsNotRecorded) {
  // The second candidate takes `factor` times as long as the first one. If the second candidate
  // takes more than 10 times as long as the leader, and its executions are long, it is not recorded
  // into a graph.
  const auto result_of = [](double factor) {
    Script slow = plan(1000, 50'000, 900, 8);
    slow.factors = {factor};
    return run({single(1000), slow}).standings[1].statistics;
  };
  EXPECT_EQ(result_of(11).launches, 0u);
  EXPECT_FALSE(result_of(11).in_graph);
  EXPECT_EQ(result_of(9).launches, 8u);
  EXPECT_TRUE(result_of(9).in_graph);
}

TEST(LaunchModes, OtherTechniquesKeepTheFiguresAlone) {
  for (const Technique technique : {Technique::once, Technique::sustained}) {
    const Result result = run({plan(100, 150, 90, 20), single(110)}, technique);
    EXPECT_EQ(result.winner, 0u);
    EXPECT_FALSE(result.captured);
    EXPECT_FALSE(result.standings[0].statistics.in_graph);
    EXPECT_NEAR(result.standings[0].statistics.host, 150 * kMicro, 1e-12);
  }
}

}  // namespace
}  // namespace atc::tune
