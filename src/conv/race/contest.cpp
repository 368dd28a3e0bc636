#include "conv/race/contest.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conv/chain.hpp"
#include "conv/key.hpp"
#include "conv/race/chain_contestant.hpp"
#include "conv/race/experience.hpp"
#include "conv/race/race_lock.hpp"
#include "conv/race/race_setup.hpp"
#include "conv/race/roofline.hpp"
#include "conv/race/verdicts.hpp"
#include "core/error.hpp"
#include "core/format.hpp"
#include "core/inside.hpp"
#include "core/log.hpp"
#include "core/quantity.hpp"
#include "tune/race.hpp"

namespace atc::conv {

namespace {

ArenaTerms terms_of_race(const Lineup& lineup, const Request& request) {
  ArenaTerms terms;
  for (const Candidate& candidate : lineup.candidates)
    if (candidate.workspace != 0) terms.workspaces.push_back(candidate.workspace);
  terms.lent = request.lent;
  return terms;
}

using Runners = std::vector<std::unique_ptr<ChainContestant>>;

// Runs the race. The winner may turn out to compute wrong results after another size has run, or
// different bits in each execution. Then the race is run once more, and every candidate has to pass
// the checks for these two faults. The second race has a fresh budget. With the rest of the first
// budget there might be no time to compare the default with other candidates.
tune::Result race_until_winner_stands(RaceSetup& setup, const Runners& runners,
                                      const tune::Options& options,
                                      const tune::OnProgress& on_progress) {
  std::vector<tune::Contestant*> contestants;
  for (const auto& runner : runners) contestants.push_back(runner.get());
  tune::Result result = tune::race(setup.site->device(), contestants, options, on_progress);
  if (result.cancelled) return result;
  bool right = true;
  for (const auto& chosen : {result.winner, result.captured}) {
    if (!chosen) continue;
    const double began = setup.site->device().now();
    if (on_progress && !on_progress({0, 0, chosen})) {
      result.cancelled = result.incomplete = true;
      return result;
    }
    // If the default was executed only once, because this execution took longer than the budget,
    // nothing was compared with it. Then the decision is not stored, so its further checks are not
    // needed.
    const bool ran_once = result.standings[*chosen].statistics.executions == 0;
    if (!ran_once && !runners[*chosen]->stands()) right = false;
    setup.confirming += setup.site->device().now() - began;
  }
  if (right) return result;
  for (const auto& runner : runners) runner->release();
  setup.thorough = true;
  const std::size_t executions = result.executions;
  result = tune::race(setup.site->device(), contestants, options, on_progress);
  result.executions += executions;
  return result;
}

// Writes the results of the race into the candidates.
void take_standings(const std::vector<tune::Standing>& standings,
                    std::vector<Candidate>& candidates) {
  for (std::size_t i = 0; i < standings.size(); ++i) {
    const tune::Standing& standing = standings[i];
    Candidate& candidate = candidates[i];
    candidate.outcome = standing.outcome;
    candidate.reason = standing.reason;
    if (!standing.imprecision.empty()) {
      candidate.imprecise = true;
      candidate.reason +=
          format("{}imprecise: {}", candidate.reason.empty() ? "" : "; ", standing.imprecision);
    }
    candidate.statistics = standing.statistics;
    candidate.spent = standing.spent;
  }
}

// Changes the outcome of candidates that were timed but whose output has turned out to be wrong,
// because the check of a later candidate has shown it.
void take_refutations(const std::vector<std::string>& refutations,
                      std::vector<Candidate>& candidates) {
  for (std::size_t i = 0; i < refutations.size(); ++i) {
    if (refutations[i].empty() || !candidates[i].ran()) continue;
    candidates[i].outcome = tune::Outcome::wrong_result;
    candidates[i].reason = refutations[i];
    candidates[i].statistics = {};
  }
}

// Logs the parts of a race's time, at level debug.
void log_course(const Problem& problem, const Decision& decision, double operands,
                double confirming) {
  if (log_level() < LogLevel::debug) return;
  log(LogLevel::debug,
      format("race for {}: {:.4f} s, {:.4f} of it for operands, {:.4f} for further "
             "checks of its winner, at most {} MiB of memory",
             describe(problem), decision.seconds, operands, confirming,
             decision.memory_bytes >> 20));
  for (const Candidate& candidate : decision.candidates) {
    const tune::Spent& spent = candidate.spent;
    if (spent.preparing + spent.checking + spent.timing == 0) continue;
    log(LogLevel::debug,
        format("  {}: {:.4f} s preparing, {:.4f} checking, {:.4f} timing, {:.4f} releasing, "
               "{} executions of {}{}{}",
               to_string(candidate.choice), spent.preparing, spent.checking, spent.timing,
               spent.releasing, candidate.statistics.executions,
               time_text(candidate.statistics.median), candidate.reason.empty() ? "" : ": ",
               candidate.reason));
  }
}

}  // namespace

void fail_cancelled(const Problem& problem) {
  fail(Status::cancelled, "tuning of {} was cancelled", describe(problem));
}

Raced contest(const Problem& problem, const Request& request, Lineup lineup,
              const std::string& compiled, bool keeps, const OnFraction& on_progress) {
  require_outside_callbacks(kRacesTakeTurns);
  if (on_progress && !on_progress(0, {})) fail_cancelled(problem);
  const auto turn = take_turn();
  const store::Json environment = key_for(problem, request).environment;
  const Knowledge knowledge = request.knowledge_in_use();
  const std::string layer = layer_class(problem, request);
  RaceSetup setup(problem, request, terms_of_race(lineup, request));
  setup.keeps = keeps;
  Device& device = setup.site->device();
  Runners runners;
  for (std::size_t i = 0; i < lineup.candidates.size(); ++i)
    runners.push_back(std::make_unique<ChainContestant>(setup, lineup.candidates[i],
                                                        lineup.chains[i], i == 0 ? compiled : "",
                                                        i == lineup.default_candidate));
  const Experience experience = known_experience(environment, knowledge);
  for (std::size_t i = 0; i < runners.size(); ++i) {
    runners[i]->believe(experience.belief(lineup.candidates[i], layer));
    runners[i]->refuse(given_refusal(lineup.candidates[i].choice, problem, request));
  }
  if (lineup.default_candidate && !runners.empty()) {
    const std::size_t place = *lineup.default_candidate;
    const Choice& choice = lineup.candidates[place].choice;
    runners[place]->execute_once_if_long();
    if (request.retune != Retune::all)
      if (std::string refusal = known_refusal(choice, problem, request); !refusal.empty())
        runners[place]->refuse(std::move(refusal));
  }
  tune::Options options = request.race;
  options.operand_sets = setup.arena.sets();
  options.default_index = lineup.default_candidate.value_or(0);
  options.favourite = lineup.favourite;
  options.least_seconds = least_seconds(problem, request, known_ceilings(environment, knowledge));
  // The time that was needed to make the operands is part of the budget. If it has used up the
  // budget, only the default is timed.
  options.spent_seconds = device.now() - setup.began;
  const double ready = device.now();
  tune::OnProgress on_unit;
  if (on_progress)
    on_unit = [&, told = std::optional<std::size_t>(),
               name = std::string()](const tune::Progress& progress) mutable {
      if (told != progress.contestant) {
        // Throws if the previous candidate has broken the device, because no other candidate could
        // run then.
        setup.site->wait();
        told = progress.contestant;
        name = told ? to_string(lineup.candidates[*told].choice) : "";
      }
      // `total` counts the units of work of the race. One unit is added for the work after the
      // race.
      return on_progress(
          static_cast<double>(progress.done) / (static_cast<double>(progress.total) + 1), name);
    };
  const tune::Result result = race_until_winner_stands(setup, runners, options, on_unit);
  setup.site->wait();  // throws if the device has failed; then no decision is made
  // The conditions (clocks, temperature) are read now, while the device is still warm from the
  // race.
  const Conditions conditions = setup.site->conditions();
  Raced raced;
  Decision& decision = raced.decision;
  if (result.winner) {
    ChainContestant& winner = *runners[*result.winner];
    decision.compiled = winner.compiled();
    raced.chain = lineup.chains[*result.winner];
    if (!request.limits.constant_weights) raced.prepared = winner.take();
  }
  std::vector<bool> in_doubt;
  std::vector<std::string> refutations;
  for (const auto& runner : runners) {
    in_doubt.push_back(runner->is_in_doubt());
    refutations.push_back(runner->refutation());
  }
  runners.clear();
  decision.winner = result.winner;
  decision.captured = result.captured;
  decision.default_candidate = lineup.default_candidate;
  decision.roster = std::move(lineup.roster);
  decision.candidates = std::move(lineup.candidates);
  take_standings(result.standings, decision.candidates);
  take_refutations(refutations, decision.candidates);
  note_verdicts(decision.candidates, lineup.chains, in_doubt, problem, request);
  decision.candidates.insert(decision.candidates.end(),
                             std::make_move_iterator(lineup.beyond.begin()),
                             std::make_move_iterator(lineup.beyond.end()));
  if (result.winner) decision.choice = decision.candidates[*result.winner].choice;
  decision.unstable = result.unstable;
  decision.risk = result.risk;
  const auto timed = std::count_if(decision.candidates.begin(), decision.candidates.end(),
                                   [](const Candidate& candidate) { return candidate.ran(); });
  // If the budget ended before two candidates were timed, nothing was compared. Then the decision
  // is of no use for another process.
  const bool uncompared = result.out_of_budget && timed < 2 && result.standings.size() > 1;
  decision.completeness = result.cancelled    ? Completeness::cancelled
                          : uncompared        ? Completeness::uncompared
                          : result.incomplete ? Completeness::incomplete
                                              : Completeness::complete;
  decision.budget_seconds = request.race.budget_seconds;
  decision.why = result.why;
  decision.seconds = device.now() - setup.began;
  decision.executions = result.executions;
  decision.technique = request.race.technique;
  decision.conditions = conditions;
  decision.memory_bytes = setup.memory.peak();
  add_experience(environment, knowledge, decision, layer);
  log_course(problem, decision, ready - setup.began, setup.confirming);
  return raced;
}

}  // namespace atc::conv
