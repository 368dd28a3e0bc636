// Tests races with each technique: the calls that contestants get, the standings (the results of
// all contestants), the tie rule, the cancelling of a race, and its progress reports.
#include "tune/race.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "lineup.hpp"

namespace atc::tune {
namespace {

using simulated::Lineup;
using simulated::Machine;
using simulated::Script;
using simulated::taking;
using testing::HasSubstr;

constexpr double kNoBudget = std::numeric_limits<double>::infinity();

Options options_of(Technique technique, std::size_t default_index = 0) {
  Options options;
  options.technique = technique;
  options.budget_seconds = kNoBudget;
  options.default_index = default_index;
  return options;
}

class EachTechnique : public testing::TestWithParam<Technique> {
 protected:
  Result run(const std::vector<Script>& scripts, Options options, const OnProgress& progress = {}) {
    simulated::Device device({});
    Lineup lineup(device, scripts);
    options.technique = GetParam();
    const Result result = race(device, lineup.pointers(), options, progress);
    lineup.expect_well_treated(result);
    std::size_t executions = 0;
    for (const Standing& one : result.standings) executions += one.statistics.executions;
    EXPECT_EQ(result.executions, executions);
    EXPECT_NEAR(result.seconds, device.now(), 1e-9);
    return result;
  }
  Options options(std::size_t default_index = 0) const {
    return options_of(GetParam(), default_index);
  }
};

std::string name_of(const testing::TestParamInfo<Technique>& info) {
  switch (info.param) {
    case Technique::once:
      return "once";
    case Technique::median_of_three:
      return "median_of_three";
    case Technique::till_stable:
      return "till_stable";
    case Technique::interleaved:
      return "interleaved";
    case Technique::sustained:
      return "sustained";
  }
  return "unknown";
}

INSTANTIATE_TEST_SUITE_P(Race, EachTechnique,
                         testing::Values(Technique::once, Technique::median_of_three,
                                         Technique::till_stable, Technique::interleaved,
                                         Technique::sustained),
                         name_of);

TEST_P(EachTechnique, TakesTheFastest) {
  const Result result = run({taking(3e-3), taking(1e-3), taking(2e-3)}, options());
  EXPECT_EQ(result.winner, 1u);
  EXPECT_FALSE(result.unstable) << result.why;
  EXPECT_FALSE(result.incomplete);
  EXPECT_FALSE(result.out_of_budget);
  EXPECT_EQ(result.why, "");
  EXPECT_NEAR(result.standings[1].statistics.median, 1e-3, 1e-9);
  EXPECT_NEAR(result.standings[2].statistics.median, 2e-3, 1e-9);
}

TEST_P(EachTechnique, TimesShortCallsInRightUnits) {
  const Result result = run({taking(3e-6), taking(2e-6)}, options());
  EXPECT_EQ(result.winner, 1u);
  EXPECT_NEAR(result.standings[1].statistics.mean, 2e-6, 1e-12);
}

TEST_P(EachTechnique, TheDefaultWinsATie) {
  const Result result = run({taking(1e-3), taking(1.009e-3), taking(1.02e-3)}, options(1));
  EXPECT_EQ(result.winner, 1u);
  EXPECT_EQ(result.standings[0].outcome, Outcome::tied);
  EXPECT_THAT(result.standings[0].reason, HasSubstr("% faster"));
}

TEST_P(EachTechnique, TheDefaultLosesBeyondTheMargin) {
  EXPECT_EQ(run({taking(1e-3), taking(1.011e-3)}, options(1)).winner, 0u);
}

TEST_P(EachTechnique, ATieWithoutTheDefaultGoesToTheSmallerWorkspaceThenTheLowerIndex) {
  const std::uint64_t much = 1 << 20, little = 1 << 10;
  const Script slow = taking(2e-3);
  EXPECT_EQ(run({slow, taking(1e-3, 0, much), taking(1.008e-3, 0, little)}, options()).winner, 2u);
  EXPECT_EQ(run({slow, taking(1e-3, 0, much), taking(1.012e-3, 0, little)}, options()).winner, 1u);
  EXPECT_EQ(run({slow, taking(1.008e-3, 0, much), taking(1e-3, 0, much)}, options()).winner, 1u);
}

TEST_P(EachTechnique, ATieGoesToWhatNoProcessHasToCompile) {
  const std::uint64_t much = 1 << 20;
  const Script slow = taking(2e-3);
  Script compiled = taking(1e-3);
  compiled.compiles = true;
  EXPECT_EQ(run({slow, compiled, taking(1.008e-3, 0, much)}, options()).winner, 2u);
  EXPECT_EQ(run({slow, compiled, taking(1.012e-3, 0, much)}, options()).winner, 1u);
  compiled.seconds = 1.008e-3;
  EXPECT_EQ(run({compiled, slow, taking(1e-3)}, options()).winner, 0u);  // the default wins a tie
}

// An opaque default does not tell which kernel it runs. If it ties with a candidate whose compiled
// form can be stored, both probably run the same kernel. The default would have to compile this
// kernel in each process, so it loses the tie.
TEST_P(EachTechnique, AnOpaqueDefaultLosesATieToWhatWasCompiledAndIsKept) {
  Script opaque = taking(1e-3), kept = taking(1.008e-3);
  opaque.opaque = true;
  kept.compiles = kept.kept = true;
  EXPECT_EQ(run({opaque, kept}, options()).winner, 1u);
  Script behind = kept, ahead = kept;
  behind.seconds = 1.012e-3;
  ahead.seconds = 0.995e-3;
  EXPECT_EQ(run({opaque, behind}, options()).winner, 0u);
  EXPECT_EQ(run({opaque, ahead}, options()).winner, 1u);

  Script forgotten = kept;
  forgotten.kept = false;
  EXPECT_EQ(run({opaque, forgotten}, options()).winner, 0u);
  // here the default is not opaque (its kernel is known), so it does not lose the tie
  EXPECT_EQ(run({taking(1e-3), kept}, options()).winner, 0u);
  Script told = kept;
  told.seconds = 1e-3;
  EXPECT_EQ(run({told, kept}, options()).winner, 0u);
}

// All three candidates tie. The default is opaque (it does not tell which kernel it runs), so it
// loses the tie with `kept`, whose compiled form can be stored. Of the other two candidates, the
// one with the lighter burden wins, by the usual rule for ties.
TEST_P(EachTechnique, WhereTheDefaultYieldsTheLightestOfTheOthersWinsTheTie) {
  Script opaque = taking(1e-3), kept = taking(1.004e-3);
  opaque.opaque = true;
  kept.compiles = kept.kept = true;
  EXPECT_EQ(run({opaque, kept, taking(1e-3)}, options()).winner, 2u);
  EXPECT_EQ(run({opaque, taking(1e-3)}, options()).winner, 0u);
}

TEST_P(EachTechnique, EqualTimesAreAllKept) {
  const Result result = run({taking(2e-3), taking(1e-3), taking(1e-3), taking(1e-3)}, options());
  EXPECT_EQ(result.winner, 1u);
  for (const std::size_t i : {2u, 3u}) {
    EXPECT_EQ(result.standings[i].outcome, Outcome::tied);
    EXPECT_GT(result.standings[i].statistics.samples, 0u);
  }
}

TEST_P(EachTechnique, TroubleOfOneIsItsStanding) {
  Script refuses = taking(1e-4), wrong = taking(1e-4), breaks = taking(1e-3);
  refuses.prepare_fails = Status::unsupported;
  wrong.wrong = true;
  breaks.fails_at_run = 2;
  const Result result = run({taking(2e-3), refuses, wrong, breaks, taking(1.5e-3)}, options());
  EXPECT_EQ(result.winner, 4u);
  EXPECT_EQ(result.standings[1].outcome, Outcome::not_prepared);
  EXPECT_THAT(result.standings[1].reason, HasSubstr("preparing fails"));
  EXPECT_EQ(result.standings[2].outcome, Outcome::wrong_result);
  EXPECT_THAT(result.standings[2].reason, HasSubstr("result is wrong"));
  EXPECT_EQ(result.standings[3].outcome, Outcome::failed);
  EXPECT_THAT(result.standings[3].reason, HasSubstr("run 2 fails"));
  EXPECT_FALSE(result.incomplete);
}

TEST_P(EachTechnique, WhatIsHopelesslySlowLeavesAtItsCheckUnlessItIsTheDefault) {
  const Result others = run({taking(1e-3), taking(2e-2), taking(0.9e-3)}, options());
  EXPECT_EQ(others.winner, 2u);
  EXPECT_EQ(others.standings[1].outcome, Outcome::dropped);
  EXPECT_EQ(others.standings[1].reason, "too slow for a check");
  EXPECT_EQ(others.standings[1].statistics.executions, 0u);

  const Result slow_default = run({taking(2e-2), taking(1e-3)}, options());
  EXPECT_EQ(slow_default.winner, 1u);
  EXPECT_GT(slow_default.standings[0].statistics.executions, 0u);
}

TEST_P(EachTechnique, AFailureIsNotedAtAnyRun) {
  for (const std::size_t at : {1u, 2u, 3u, 4u}) {
    Script breaks = taking(1e-3);
    breaks.fails_at_run = at;
    const Result result = run({taking(1.05e-3), breaks}, options());
    const bool reached = result.standings[1].statistics.executions >= at;
    EXPECT_TRUE(reached || at > 2) << at;  // a candidate runs at least twice before it can win
    EXPECT_EQ(result.standings[1].outcome, reached ? Outcome::failed : Outcome::won) << at;
    EXPECT_EQ(result.winner, reached ? 0u : 1u) << at;
  }
}

TEST_P(EachTechnique, OutOfMemoryMakesTheRaceIncomplete) {
  Script preparing = taking(1e-4), running = taking(1e-4);
  preparing.prepare_fails = Status::out_of_memory;
  running.fails_at_run = 1;
  running.run_status = Status::out_of_memory;
  for (const Script& script : {preparing, running}) {
    const Result result = run({taking(2e-3), script}, options());
    EXPECT_EQ(result.winner, 0u);
    EXPECT_EQ(result.standings[1].outcome, Outcome::out_of_memory);
    EXPECT_TRUE(result.incomplete);
    EXPECT_THAT(result.why, HasSubstr("candidate 1 was lost to out of memory"));
  }
}

TEST_P(EachTechnique, ABrokenDefaultLeavesTheRaceToTheOthers) {
  Script broken = taking(1e-4);
  broken.wrong = true;
  const Result result = run({taking(2e-3), taking(1e-3), broken}, options(2));
  EXPECT_EQ(result.winner, 1u);
  EXPECT_EQ(result.standings[2].outcome, Outcome::wrong_result);
}

TEST_P(EachTechnique, NobodyIsLeft) {
  Script broken = taking(1e-4);
  broken.wrong = true;
  const Result result = run({broken, broken}, options());
  EXPECT_FALSE(result.winner.has_value());
}

TEST_P(EachTechnique, OneContestantWinsAlone) {
  const Result result = run({taking(1e-3, 0.5)}, options());
  EXPECT_EQ(result.winner, 0u);
  EXPECT_FALSE(result.unstable);
  // a single candidate is not compared, so few executions are enough
  EXPECT_LE(result.executions, 5u);
  EXPECT_GT(result.standings[0].statistics.median, 0);
}

TEST_P(EachTechnique, TheCandidateLimitCountsTheDefault) {
  Options limited = options(3);
  limited.max_candidates = 2;
  const Result result = run({taking(3e-3), taking(1e-3), taking(1e-3), taking(4e-3)}, limited);
  EXPECT_EQ(result.winner, 0u);
  for (const std::size_t i : {1u, 2u}) {
    EXPECT_EQ(result.standings[i].outcome, Outcome::skipped);
    EXPECT_THAT(result.standings[i].reason, HasSubstr("limit of 2"));
  }
}

TEST_P(EachTechnique, RotatesOverTheOperandSets) {
  simulated::Device device({});
  Lineup lineup(device, {taking(2e-6), taking(1e-6)});
  Options rotating = options();
  rotating.operand_sets = 7;
  race(device, lineup.pointers(), rotating);
  const bool batches = GetParam() == Technique::interleaved || GetParam() == Technique::sustained;
  EXPECT_EQ(lineup[0].highest_operand_set(), batches ? 6u : 0u);
}

TEST_P(EachTechnique, ProgressNeverGoesBackAndEnds) {
  Script wrong = taking(1e-3);
  wrong.wrong = true;
  std::size_t calls = 0;
  Progress last;
  const auto progress = [&](const Progress& now) {
    EXPECT_GE(now.done, last.done);
    EXPECT_GE(now.total, last.total);
    EXPECT_LE(now.done, now.total);
    last = now;
    ++calls;
    return true;
  };
  run({taking(1e-3, 0.03), taking(1.02e-3, 0.03), wrong, taking(1.7e-3), taking(1.2e-3, 0.03)},
      options(), progress);
  EXPECT_GT(calls, 9u);
  EXPECT_EQ(last.done, last.total);
}

TEST_P(EachTechnique, CancelledAtAnyPointItKeepsWhatWasDecided) {
  const std::vector<Script> scripts = {taking(3e-3, 0.03), taking(2e-3, 0.03), taking(1e-3, 0.03),
                                       taking(1.01e-3, 0.03)};
  // Returns a progress callback that counts its calls in `calls`, and cancels the race when the
  // count is `stop`. A report that only names the next contestant is not counted.
  const auto counting = [](std::size_t& calls, std::size_t stop) {
    return [&calls, stop, told = std::optional<std::size_t>()](const Progress& progress) mutable {
      if (std::exchange(told, progress.contestant) != progress.contestant) return true;
      return ++calls != stop;
    };
  };
  std::size_t whole = 0;
  run(scripts, options(), counting(whole, 0));
  for (std::size_t stop = 1; stop < std::min<std::size_t>(whole, 40); ++stop) {
    std::size_t calls = 0;
    const Result result = run(scripts, options(), counting(calls, stop));
    EXPECT_EQ(calls, stop) << "asked again after it was cancelled";
    EXPECT_TRUE(result.cancelled);
    EXPECT_TRUE(result.incomplete);
    EXPECT_THAT(result.why, HasSubstr("cancelled"));
    // when the race is cancelled at the first report, the default has passed its check, but has no
    // time
    if (stop == 1) {
      EXPECT_FALSE(result.winner);
      for (const Standing& standing : result.standings)
        EXPECT_EQ(standing.outcome, Outcome::skipped);
      continue;
    }
    ASSERT_TRUE(result.winner.has_value());
    EXPECT_GT(result.standings[*result.winner].statistics.samples, 0u) << stop;
    if (stop == 2) {
      // at the second report, no contestant except the default has a time
      EXPECT_EQ(result.winner, 0u);
    }
    if (stop >= 8) {
      // contestants 0 and 1 take 3 and 2 times as long as the fastest one
      EXPECT_GE(*result.winner, 2u) << stop;
    }
  }
}

TEST_P(EachTechnique, WhatTheProgressCallbackThrowsPassesAndNothingStaysPrepared) {
  simulated::Device device({});
  Lineup lineup(device, {taking(2e-3), taking(1e-3), taking(1.1e-3)});
  std::size_t calls = 0;
  const auto progress = [&](const Progress&) -> bool {
    if (++calls == 4) throw std::runtime_error("from the callback");
    return true;
  };
  EXPECT_THROW(race(device, lineup.pointers(), options(), progress), std::runtime_error);
  for (std::size_t i = 0; i < lineup.size(); ++i) {
    EXPECT_EQ(lineup[i].releases(), lineup[i].prepares()) << i;
  }
}

TEST_P(EachTechnique, EqualDataEqualResult) {
  const auto once_more = [&] {
    simulated::Device device({});
    std::vector<Script> scripts;
    for (int i = 0; i < 12; ++i) scripts.push_back(taking(1e-3 * (1 + 0.01 * i), 0.03));
    Lineup lineup(device, scripts);
    return race(device, lineup.pointers(), options(5));
  };
  const Result first = once_more(), second = once_more();
  EXPECT_EQ(first.winner, second.winner);
  EXPECT_EQ(first.executions, second.executions);
  EXPECT_EQ(first.seconds, second.seconds);
}

TEST(Race, OptionsThatMakeNoSenseAreRefused) {
  simulated::Device device({});
  Lineup lineup(device, {taking(1e-3)});
  const auto refused = [&](auto change, const char* sentence) {
    Options options;
    change(options);
    try {
      race(device, lineup.pointers(), options);
      ADD_FAILURE() << "accepted: " << sentence;
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), Status::invalid_argument);
      EXPECT_THAT(error.what(), HasSubstr(sentence));
    }
  };
  refused([](Options& o) { o.default_index = 1; }, "default_index is 1");
  refused([](Options& o) { o.operand_sets = 0; }, "operand_sets is 0");
  refused([](Options& o) { o.budget_seconds = -1; }, "budget_seconds is -1");
  refused([](Options& o) { o.budget_seconds = std::nan(""); }, "budget_seconds is nan");
  refused([](Options& o) { o.tie_margin = -0.1; }, "tie_margin is -0.1");
  refused([](Options& o) { o.tie_margin = 1; }, "tie_margin is 1");
  refused([](Options& o) { o.expected_calls = 0; }, "expected_calls is 0");
  refused([](Options& o) { o.expected_calls = -5; }, "expected_calls is -5");
  refused([](Options& o) { o.expected_calls = std::nan(""); }, "expected_calls is nan");
  refused([](Options& o) { o.technique = static_cast<Technique>(9); }, "technique 9");
  EXPECT_EQ(lineup[0].prepares(), 0u);
  EXPECT_THROW(race(device, {nullptr}, {}), Error);
}

TEST(Race, WithoutContestantsThereIsNoWinner) {
  simulated::Device device({});
  const Result result = race(device, {}, {});
  EXPECT_FALSE(result.winner.has_value());
  EXPECT_THAT(result.why, HasSubstr("no contestants"));
}

}  // namespace
}  // namespace atc::tune
