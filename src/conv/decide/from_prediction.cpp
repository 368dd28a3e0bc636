#include "conv/decide/from_prediction.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "conv/decide/checked_once.hpp"
#include "conv/race/believed.hpp"
#include "conv/race/experience.hpp"
#include "conv/race/verdicts.hpp"
#include "conv/tuning_mode.hpp"
#include "core/error.hpp"
#include "core/format.hpp"
#include "core/inside.hpp"
#include "core/log.hpp"
#include "device/description.hpp"
#include "device/stream.hpp"

namespace atc::conv {

namespace {

// The largest number of candidates that are built and checked. If none of them passes, the default
// runs.
constexpr std::size_t kMostTried = 3;

// Whether predictions must not use the results of earlier races that the store holds. This is so if
// results have to be equal in all runs, or in all ranks of a job: then equal machines must predict
// the same choice, although their stores may differ. So only the race results that are built into
// the library are used.
bool must_be_alike(const Request& request) {
  return request.limits.deterministic || is_rank_of_job();
}

Experience experience_for(const Request& request, const store::Key& key) {
  if (must_be_alike(request)) return built_in_experience(key.environment);
  return first_experience(key.environment, request.knowledge_in_use());
}

void tell_nothing_known(const Request& request) {
  const char* const source = must_be_alike(request) ? "the library" : "the library and the store";
  log_once(LogLevel::debug,
           format("nothing is predicted on {}: {} know no races of this device; the default runs",
                  name_of(request.device), source));
}

// Returns the reason why the candidate cannot be used. If the candidate can be used, returns "" and
// sets `prepared` to the convolution that was built from the candidate.
std::string refusal_of(const Candidate& candidate, const Chain& chain, const Problem& problem,
                       const Request& request, std::unique_ptr<Prepared>& prepared) {
  try {
    auto built = build_for_plan(chain, candidate.choice, problem, request);
    const std::string refusal = verdict(candidate, chain, problem, request, built->compiled());
    if (!refusal.empty()) return "the correctness gate refuses it: " + refusal;
    prepared = std::move(built);
    return "";
  } catch (const Error& error) {
    const bool breaks = error.status() == Status::device || error.status() == Status::library;
    if (breaks) throw;
    return error.what();
  }
}

}  // namespace

std::string prediction_refusal(const Request& request) {
  const auto store = request.knowledge_in_use().store();
  if (store != nullptr && store->mode() == store::Mode::replay_only)
    return "the store is open for replay only";
  if (request.require_firm) return "only firm decisions are asked for";
  return "";
}

Prediction predict(const Problem& problem, const Request& request, const store::Key& key) {
  Prediction prediction;
  const Experience known = experience_for(request, key);
  if (known.empty()) {
    tell_nothing_known(request);
    return prediction;
  }
  Lineup lineup = full_lineup(problem, request);
  if (!lineup.default_candidate || lineup.only_reference) return prediction;
  const Choice first = lineup.candidates.front().choice;
  Believed found = believed(std::move(lineup), problem, request, known.widened(), first);
  for (const std::size_t i : promising(found)) {
    const std::size_t candidate = found.open[i];
    Candidate& expected = found.lineup.candidates[candidate];
    if (expected.compiles) continue;
    expected.notes += format("{}predicted by races of similar layers (log ratio {:.2f} ± {:.2f})",
                             expected.notes.empty() ? "" : "; ", found.beliefs[i].log_ratio,
                             found.beliefs[i].deviation);
    prediction.order.push_back(candidate);
  }
  prediction.lineup = std::move(found.lineup);
  return prediction;
}

Decision decision_of(const Prediction& prediction, std::size_t candidate) {
  Decision decision;
  decision.source = Source::predicted;
  decision.roster = prediction.lineup.roster;
  decision.candidates = prediction.lineup.candidates;
  decision.choice = decision.candidates[candidate].choice;
  decision.winner = candidate;
  decision.default_candidate = 0;
  return decision;
}

Predicted from_prediction(const Problem& problem, const Request& request, const store::Key& key) {
  if (const std::string why = prediction_refusal(request); !why.empty()) {
    log_once(LogLevel::warning, format("choices are not predicted: {}", why));
    return {};
  }
  Prediction prediction = predict(problem, request, key);
  const std::size_t tried = std::min(prediction.order.size(), kMostTried);
  for (std::size_t place = 0; place < tried; ++place) {
    const std::size_t i = prediction.order[place];
    Candidate& candidate = prediction.lineup.candidates[i];
    const bool is_checked = known_verdict(candidate.choice, problem, request).has_value();
    if (!is_checked && (is_captured(request.device, request.stream) || is_inside_callback()))
      return {std::nullopt, true};
    Decided decided;
    decided.chain = prediction.lineup.chains[i];
    std::string refusal;
    try {
      refusal = refusal_of(candidate, decided.chain, problem, request, decided.prepared);
    } catch (const Error& error) {
      if (error.status() != Status::library) throw;
      // A build without device kernels has no correctness gate on CUDA. In such a build no choice
      // can be checked, so none is predicted.
      log_once(LogLevel::warning, format("choices are not predicted: {}", error.what()));
      return {};
    }
    if (refusal.empty()) {
      decided.decision = std::make_shared<const Decision>(decision_of(prediction, i));
      return {std::move(decided), false};
    }
    candidate.reason = refusal;
    log_once(LogLevel::info, format("the predicted {} does not run for {}: {}",
                                    to_string(candidate.choice), describe(problem), refusal));
  }
  return {};
}

}  // namespace atc::conv
