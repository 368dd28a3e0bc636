#include "race.hpp"

#include <algorithm>
#include <chrono>

#include "conv/race/contest.hpp"
#include "conv/race/lineup.hpp"

namespace atc::lab {

namespace {

const char* name_of(std::optional<tune::Outcome> outcome) {
  if (!outcome) return "offered";
  switch (*outcome) {
    case tune::Outcome::won:
      return "won";
    case tune::Outcome::lost:
      return "lost";
    case tune::Outcome::dropped:
      return "dropped";
    case tune::Outcome::tied:
      return "tied";
    case tune::Outcome::not_prepared:
      return "not_prepared";
    case tune::Outcome::wrong_result:
      return "wrong_result";
    case tune::Outcome::failed:
      return "failed";
    case tune::Outcome::out_of_memory:
      return "out_of_memory";
    case tune::Outcome::skipped:
      return "skipped";
  }
  return "unknown";
}

conv::Request request(bool allow_tf32, const std::vector<std::string>& engines, double budget) {
  conv::Request request;
  request.device = {DeviceType::cuda, 0};
  request.limits.device = request.device;
  request.limits.alignment = 16;  // what an allocator's memory has at least
  request.limits.allow_tf32 = allow_tf32;
  request.tune = true;
  request.allow_reference = std::find(engines.begin(), engines.end(), "reference") != engines.end();
  request.race.budget_seconds = budget;
  request.switched_limit = Settings{}.benchmark_limit_cudnn;
  request.plan_wanted = false;
  request.engines_allowed = engines;
  return request;
}

}  // namespace

Race race(const Problem& problem, bool allow_tf32, const std::vector<std::string>& engines,
          double budget) {
  const conv::Request asked = request(allow_tf32, engines, budget);
  using Clock = std::chrono::steady_clock;
  const auto began = Clock::now();
  conv::Lineup lineup = conv::full_lineup(problem, asked);
  Race result;
  result.listing = std::chrono::duration<double>(Clock::now() - began).count();
  result.not_offered = lineup.reasons;
  if (lineup.candidates.empty()) return result;
  const conv::Decision decision =
      conv::contest(problem, asked, std::move(lineup), "", false, {}).decision;
  if (decision.winner) result.winner = to_string(decision.choice);
  result.why = decision.why;
  result.unstable = decision.unstable;
  result.seconds = decision.seconds;
  for (const conv::Candidate& candidate : decision.candidates)
    result.racers.push_back({to_string(candidate.choice), name_of(candidate.outcome),
                             candidate.reason, candidate.statistics.median,
                             candidate.statistics.min, candidate.workspace, candidate.spent});
  return result;
}

}  // namespace atc::lab
