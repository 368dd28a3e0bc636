#include "conv/beside/admission.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>
#include <vector>

#include "conv/key.hpp"
#include "conv/race/examination.hpp"
#include "conv/race/experience.hpp"
#include "conv/race/lineup.hpp"
#include "conv/race/verdicts.hpp"
#include "core/error.hpp"
#include "core/format.hpp"
#include "tune/outlook.hpp"
#include "tune/prospects.hpp"

namespace atc::conv::beside {

namespace {

// A run of a candidate in the gate may take this many seconds, even if the default takes far less:
// on a GPU kernels may be loaded; on the CPU the program's threads may have the cores.
constexpr double kPatienceOnGpu = 0.25, kPatienceOnCpu = 60;

struct Pick {
  std::size_t candidate = 0;
  double rank = 0;
};

// Returns the candidates whose turn is expected to pay (tune/prospects.hpp), the most promising
// first.
std::vector<std::size_t> picks(const Lineup& lineup, const Layer& layer, const Request& request,
                               double default_seconds) {
  const Experience experience =
      known_experience(layer.key().environment, request.knowledge_in_use());
  const std::string kind = layer_class(layer.problem(), request);
  std::vector<Pick> found;
  for (std::size_t i = 0; i < lineup.candidates.size(); ++i) {
    const Candidate& candidate = lineup.candidates[i];
    if (candidate.choice == layer.default_choice()) continue;
    if (candidate.returns_output && !request.may_return_output(candidate.choice.engine)) continue;
    if (!known_refusal(candidate.choice, layer.problem(), request).empty()) continue;
    const tune::Belief belief = experience.belief(candidate, kind);
    const double saving =
        default_seconds * tune::expected_saving(belief.log_ratio, belief.deviation, 0);
    const double run = default_seconds * std::exp(belief.log_ratio);
    const double cost = belief.seconds + (candidate.compiles ? belief.compiling : 0) +
                        tune::kExecutionsOfTurn * run;
    if (saving * request.race.expected_calls > cost) found.push_back({i, saving / cost});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Pick& a, const Pick& b) { return a.rank > b.rank; });
  if (found.size() > kMostCandidates) found.resize(kMostCandidates);
  std::vector<std::size_t> result;
  result.reserve(found.size());
  for (const Pick& pick : found) result.push_back(pick.candidate);
  return result;
}

// Builds and checks one candidate. If it passes the check, it is admitted; otherwise the reason is
// written to the candidate.
void examine(Examination& examination, Layer& layer, const Request& request, Candidate& candidate,
             const Chain& chain, std::size_t index, double patience) {
  try {
    Examination::Result result = examination.examine(candidate, chain, patience);
    if (!result.verdict.passed) {
      candidate.outcome =
          result.verdict.hopeless ? tune::Outcome::skipped : tune::Outcome::wrong_result;
      candidate.reason =
          result.verdict.hopeless ? "its run in the check took too long" : result.verdict.reason;
      if (!result.verdict.hopeless)
        note_verdict(candidate.choice, layer.problem(), request, candidate.reason);
      return;
    }
    note_verdict(candidate.choice, layer.problem(), request, "");
    candidate.imprecise = result.verdict.imprecise;
    Decision decision;
    decision.source = Source::beside;
    decision.choice = candidate.choice;
    decision.winner = 0;
    decision.candidates = {candidate};
    Decided decided;
    decided.chain = chain;
    decided.prepared = std::move(result.prepared);
    decided.decision = std::make_shared<const Decision>(std::move(decision));
    layer.admit(index, std::move(decided), result.seconds);
  } catch (const Error& error) {
    if (error.status() == Status::library || error.status() == Status::device) throw;
    candidate.outcome = error.status() == Status::out_of_memory ? tune::Outcome::out_of_memory
                                                                : tune::Outcome::not_prepared;
    candidate.reason = error.what();
  }
}

}  // namespace

void admit_candidates(Layer& layer, const std::function<bool(double seconds)>& go_on) {
  layer.began_admission();
  const auto knowledge = layer.knowledge().find();
  if (!knowledge) fail(Status::not_tuned, "the store of its calls is closed");
  Request request = layer.request();
  request.knowledge = *knowledge;
  Lineup lineup = full_lineup(layer.problem(), request);
  const double default_seconds = layer.default_seconds();
  const std::vector<std::size_t> picked = picks(lineup, layer, request, default_seconds);
  for (Candidate& candidate : lineup.candidates) {
    candidate.outcome = tune::Outcome::skipped;
    candidate.reason = "it was not tried beside the program";
  }
  if (!picked.empty()) {
    Examination examination(layer.problem(), request);
    const bool on_cpu = request.device.type == DeviceType::cpu;
    const double patience =
        std::max(on_cpu ? kPatienceOnCpu : kPatienceOnGpu, tune::kHopeless * default_seconds);
    for (const std::size_t index : picked) {
      using Clock = std::chrono::steady_clock;
      const Clock::time_point began = Clock::now();
      examine(examination, layer, request, lineup.candidates[index], lineup.chains[index], index,
              patience);
      const std::chrono::duration<double> took = Clock::now() - began;
      if (!go_on(took.count())) break;
    }
  }
  lineup.candidates.insert(lineup.candidates.end(), std::make_move_iterator(lineup.beyond.begin()),
                           std::make_move_iterator(lineup.beyond.end()));
  layer.end_admission(std::move(lineup.candidates), std::move(lineup.roster));
}

}  // namespace atc::conv::beside
