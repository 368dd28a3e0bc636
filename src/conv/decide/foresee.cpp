#include "conv/decide/foresee.hpp"

#include <algorithm>
#include <memory>
#include <string>

#include "conv/chain.hpp"
#include "conv/decide/from_other_versions.hpp"
#include "conv/decide/from_pin.hpp"
#include "conv/decide/from_prediction.hpp"
#include "conv/decide/from_records.hpp"
#include "conv/entrants.hpp"
#include "conv/key.hpp"
#include "conv/memory.hpp"
#include "conv/pins/pins_in_use.hpp"
#include "conv/race/lineup.hpp"
#include "conv/race/verdicts.hpp"
#include "device/description.hpp"

namespace atc::conv {

namespace {

// Returns the choice of a pin (an entry of the user's pin file). Returns nothing if it is already
// known that a call with this choice would fail.
std::optional<Choice> of_pin(const Choice& choice, const Problem& problem, const Request& request) {
  std::string why_not;
  if (!find_chain(choice, request.device.type, why_not)) return std::nullopt;
  if (!known_refusal(choice, problem, request).empty()) return std::nullopt;
  return choice;
}

// Returns the first choice of the default engines that the correctness gate is not known to refuse.
std::optional<Choice> of_default(const Problem& problem, const Request& request) {
  Lineup lineup = default_lineup(problem, request);
  const auto first = [&]() -> std::optional<Choice> {
    const auto& candidates = lineup.candidates;
    const auto right =
        std::find_if(candidates.begin(), candidates.end(), [&](const Candidate& candidate) {
          return known_refusal(candidate.choice, problem, request).empty();
        });
    if (right == candidates.end()) return std::nullopt;
    return right->choice;
  };
  if (auto choice = first()) return choice;
  if (!lineup.default_candidate) return std::nullopt;
  add_rest(lineup, problem, request);
  if (auto choice = first()) return choice;
  add_reference(lineup, problem, request);
  return first();
}

// Returns the predicted choice. The choice has not been checked, so the correctness gate may refuse
// it when a call uses it.
std::optional<Choice> of_prediction(const Problem& problem, const Request& request,
                                    const store::Key& key) {
  if (!prediction_refusal(request).empty()) return std::nullopt;
  const Prediction prediction = predict(problem, request, key);
  if (prediction.order.empty()) return std::nullopt;
  return prediction.lineup.candidates[prediction.order.front()].choice;
}

// Finds the choice of a request that measures nothing, among the decisions of the store and of this
// process.
class Known {
 public:
  Known(const Problem& problem, const Request& request)
      : problem_(problem),
        request_(request),
        entrants_(entrants(request)),
        admitted_(roster_of(entrants_, request)) {}

  bool take(const Record& record, bool replaying, Foreseen& to) const {
    const auto match = best_match(record, request_, admitted_);
    return match && decides(*match, request_, entrants_, replaying) && take(*match, to);
  }

  // If the ranks of a distributed job have agreed about this problem, sets the choices in `to` as
  // decide() would, and returns true. Otherwise returns false.
  bool take_agreed(const Knowledge& knowledge, bool replaying, Foreseen& to) const {
    for (const AgreedDecision& agreed : recall_agreed(knowledge, to.key, request_.front_end)) {
      const bool exact = agreed.front_end == request_.front_end;
      if (agreed.decision == nullptr && (!exact || replaying)) continue;
      std::optional<Match> match;
      if (agreed.decision != nullptr && !(request_.require_firm && agreed.decision->unstable)) {
        match = best_match({*agreed.decision}, request_, admitted_);
        if (!match || (!exact && !match->newcomers.empty())) continue;
      }
      if (!match || !take(*match, to)) to.choice = of_default(problem_, request_);
      return true;
    }
    return false;
  }

  bool take_adopted(store::Store& store, Foreseen& to) const {
    const auto adopted = decisions_of_other_versions(store, to.key, request_, entrants_);
    return std::any_of(adopted.begin(), adopted.end(),
                       [&](const Adopted& one) { return take(one.match, to); });
  }

  bool take_nearest(const std::shared_ptr<store::Store>& store, Foreseen& to) const {
    bool taken = false;
    for_each_of_other_sizes(store, to.key, request_, entrants_,
                            [&](Match&& match) { return taken = take(match, to); });
    return taken;
  }

 private:
  bool take(const Match& match, Foreseen& to) const {
    const Decision& decision = match.decision;
    if (!known_result(decision, problem_, request_).value_or("").empty()) return false;
    to.choice = decision.choice;
    if (match.captured) to.captured = decision.choice_of(true);
    return true;
  }

  const Problem& problem_;
  const Request& request_;
  const Entrants entrants_;
  const Roster admitted_;
};

}  // namespace

Foreseen foresee(const Problem& problem, const Request& asked) {
  require_device(asked.device);
  Request request = asked;
  request.tune = false;
  Foreseen foreseen;
  foreseen.key = key_for(problem, request);
  if (problem.batch() == 0) return foreseen;
  const PinsForProblem pins = pins_for(problem, request);
  if (pins.choice != nullptr) {
    foreseen.choice = of_pin(*pins.choice->choice, problem, request);
    return foreseen;
  }
  obey_bars(pins.bars, request);
  const Knowledge knowledge = request.knowledge_in_use();
  const std::shared_ptr<store::Store>& store = knowledge.store();
  const bool replaying = reads(store) && store->mode() == store::Mode::replay_only;
  const bool remembers = asked.tune || asked.put_off || asked.notes_misses || asked.predicts;
  const bool adopting = adopts(request, store);
  const Known known(problem, request);
  if (known.take_agreed(knowledge, replaying, foreseen)) return foreseen;
  if (reads(store) && known.take(acceptable(recorded(*store, foreseen.key), request, replaying),
                                 replaying, foreseen))
    return foreseen;
  const bool near = reads(store) && request.near_shapes.value_or(!replaying);
  if (replaying) {
    if (near) known.take_nearest(store, foreseen);
    return foreseen;
  }
  if (remembers && known.take(recalled(knowledge, foreseen.key, request), false, foreseen))
    return foreseen;
  // The decision of other versions or of another size is not used for a request that tunes, because
  // tuning measures the problem itself.
  if (adopting && !asked.tune && known.take_adopted(*store, foreseen)) return foreseen;
  if (near && !asked.tune && known.take_nearest(store, foreseen)) return foreseen;
  if (asked.predicts) {
    foreseen.choice = of_prediction(problem, request, foreseen.key);
    if (foreseen.choice) return foreseen;
  }
  foreseen.choice = of_default(problem, request);
  return foreseen;
}

}  // namespace atc::conv
