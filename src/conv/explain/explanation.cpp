#include "conv/explain/explanation.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "conv/decide/from_pin.hpp"
#include "conv/decide/from_prediction.hpp"
#include "conv/decide/policy.hpp"
#include "conv/key.hpp"
#include "conv/pins/pins_in_use.hpp"
#include "conv/race/ceilings.hpp"
#include "conv/race/lineup.hpp"
#include "core/error.hpp"
#include "core/format.hpp"
#include "core/inside.hpp"
#include "engines/registry.hpp"

namespace atc::conv {

namespace {

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();
constexpr std::size_t kWidestAlignment = 16;

// A switch: a setting or an option that can exclude offers of engines. The function `lift` changes
// the request so that the switch excludes nothing. `lift` returns false if the switch excludes
// nothing anyway.
struct Switch {
  const char* name;
  bool (*lift)(Request&, const Settings&);
};

// Removes an engine from the list of barred engines. Returns false if the engine is not in the
// list.
bool admit_again(Request& request, const char* engine) {
  auto& barred = request.engines_barred;
  const auto found = std::find(barred.begin(), barred.end(), engine);
  if (found == barred.end()) return false;
  barred.erase(found);
  return true;
}

constexpr Switch kSwitches[] = {
    {"user_enabled_cudnn",
     [](Request& request, const Settings& settings) {
       return !settings.user_enabled_cudnn && admit_again(request, kSwitchedEngine);
     }},
    {"engines_allowed",
     [](Request& request, const Settings&) {
       return !std::exchange(request.engines_allowed, {}).empty();
     }},
    {"engines_barred",
     [](Request& request, const Settings& settings) {
       const std::vector<const char*> off = request.switched_off(settings);
       std::vector<std::string> left(off.begin(), off.end());
       return std::exchange(request.engines_barred, left).size() > left.size();
     }},
    {"strict_precision",
     [](Request& request, const Settings&) {
       return std::exchange(request.strict_precision, false) &&
              admit_again(request, kTransformingEngine);
     }},
    {"deterministic",
     [](Request& request, const Settings&) {
       return std::exchange(request.limits.deterministic, false);
     }},
    {"workspace_limit",
     [](Request& request, const Settings&) {
       return std::exchange(request.limits.workspace, kNoLimit) != kNoLimit;
     }},
    {"allow_tf32",
     [](Request& request, const Settings&) {
       return request.device.type == DeviceType::cuda &&
              !std::exchange(request.limits.allow_tf32, true);
     }},
    {"alignment",
     [](Request& request, const Settings&) {
       return request.device.type == DeviceType::cuda &&
              std::exchange(request.limits.alignment, kWidestAlignment) < kWidestAlignment;
     }},
};

// Returns the name of the engine or rewrite under which the report counts the offer: its first
// rewrite if there is one, else its engine.
const std::string& offered_by(const Candidate& candidate) {
  return candidate.choice.rewrites.empty() ? candidate.choice.engine
                                           : candidate.choice.rewrites.front().rewrite;
}

template <typename Visit>
void for_each_offer(const Lineup& lineup, const Visit& visit) {
  for (const Candidate& candidate : lineup.candidates) visit(candidate);
  for (const Candidate& candidate : lineup.beyond) visit(candidate);
}

class Asked {
 public:
  Asked(const Problem& problem, const Request& request, const Settings& settings)
      : problem_(problem), request_(request), lineup_(full_lineup(problem, request)) {
    for (const Answer& answer : lineup_.answers)
      answers_.push_back(
          {answer.name, answer.version, answer.rewrite, answer.offers, answer.why_not, {}});
    add_refused();
    for_each_offer(lineup_, [&](const Candidate& one) { known_.insert(to_string(one.choice)); });
    for (const Switch& one : kSwitches) lift(one, settings);
  }

  const Lineup& lineup() const { return lineup_; }
  std::vector<EntrantAnswer> take_answers() { return std::move(answers_); }

 private:
  bool is_listed(const std::string& name) const {
    return std::any_of(answers_.begin(), answers_.end(),
                       [&](const EntrantAnswer& answer) { return answer.name == name; });
  }

  // Adds the engines and rewrites that work on the device but were not asked for offers, with the
  // reason.
  void add_refused() {
    const EngineRegistry& registry = EngineRegistry::instance();
    const auto add = [&](const auto& part, bool rewrite) {
      if (!part.serves(request_.device.type) || is_listed(part.name())) return;
      const char* why = request_.admits(part.name()) ? "not asked: another engine offers"
                                                     : "not allowed by the options";
      answers_.push_back({part.name(), part.version(), rewrite, 0, why, {}});
    };
    for (const RegisteredEngine& entry : registry.all()) add(*entry.engine, false);
    for (const auto& rewrite : registry.rewrites()) add(*rewrite, true);
  }

  // Counts the offers that one switch excludes: asks all engines again with a request in which this
  // switch excludes nothing, and counts the additional offers.
  void lift(const Switch& one, const Settings& settings) {
    Request lifted = request_;
    if (!one.lift(lifted, settings)) return;
    for_each_offer(full_lineup(problem_, lifted), [&](const Candidate& candidate) {
      if (known_.count(to_string(candidate.choice)) != 0) return;
      const auto answer = std::find_if(
          answers_.begin(), answers_.end(),
          [&](const EntrantAnswer& known) { return known.name == offered_by(candidate); });
      if (answer == answers_.end()) return;
      std::vector<Barrier>& barriers = answer->barriers;
      if (barriers.empty() || barriers.back().name != one.name) barriers.push_back({one.name, 0});
      ++barriers.back().offers;
    });
  }

  const Problem& problem_;
  const Request& request_;
  const Lineup lineup_;
  std::vector<EntrantAnswer> answers_;
  std::set<std::string> known_;  // the choices that are offered under the unchanged request
};

// Returns the decision that a plan would have if no decision is known: the first offer of the
// default engine. The other candidates are the offers that would be timed in a race.
Decision untuned(const Problem& problem, const Request& request, const Lineup& lineup) {
  Decision decision;
  decision.roster = lineup.roster;
  for_each_offer(lineup, [&](const Candidate& one) { decision.candidates.push_back(one); });
  const Lineup first = default_lineup(problem, request);
  if (!first.default_candidate) {
    decision.why = first.reasons;
    return decision;
  }
  const Candidate& runs = first.candidates[*first.default_candidate];
  auto& candidates = decision.candidates;
  auto place = std::find_if(candidates.begin(), candidates.end(),
                            [&](const Candidate& one) { return one.choice == runs.choice; });
  if (place == candidates.end()) place = candidates.insert(candidates.begin(), runs);
  decision.choice = runs.choice;
  decision.winner = decision.default_candidate =
      static_cast<std::size_t>(place - candidates.begin());
  decision.source =
      runs.choice.engine == kReferenceEngine ? Source::reference : Source::default_engine;
  return decision;
}

// Returns the decision that a plan would have if no decision is known and a choice is predicted.
// Empty if no choice is predicted.
std::optional<Decision> predicted(const Problem& problem, const Request& request) {
  if (!request.predicts || !prediction_refusal(request).empty()) return std::nullopt;
  const Prediction prediction = predict(problem, request, key_for(problem, request));
  if (prediction.order.empty()) return std::nullopt;
  return decision_of(prediction, prediction.order.front());
}

// Replaces the decision by the choice of a pin, as a plan does for a problem that has a pin.
// Nothing is built here, so the choice of the pin may turn out not to be buildable.
void choose_pinned(Decision& decision, const PinFile& file, const Pin& pin) {
  auto& candidates = decision.candidates;
  auto place = std::find_if(candidates.begin(), candidates.end(),
                            [&](const Candidate& one) { return one.choice == *pin.choice; });
  if (place == candidates.end()) {
    Candidate only;
    only.choice = *pin.choice;
    only.rewrites = rewrites_text(only.choice);
    place = candidates.insert(candidates.end(), std::move(only));
  }
  place->notes = format("pinned by {}", file.place(pin));
  decision.choice = *pin.choice;
  decision.winner = static_cast<std::size_t>(place - candidates.begin());
  decision.source = Source::pinned;
}

}  // namespace

Explanation explain(const Problem& problem, DeviceId device, const PlanOptions& options) {
  if (problem.batch() == 0)
    fail(Status::invalid_argument, "problem.batch is 0: there is nothing to compute or explain");
  require_outside_callbacks("an explanation asks every engine");
  const Settings settings = current_settings();
  Request request = resolve(device, problem, options, settings);
  request.plan_wanted = false;
  const PinsForProblem pins = pins_for(problem, request);
  obey_bars(pins.bars, request);
  Peeked known = peek(problem, request);
  Asked asked(problem, request, settings);
  Explanation explanation;
  explanation.description = describe(problem);
  if (known.decision && pins.choice == nullptr)
    explanation.decision = std::move(*known.decision);
  else if (auto expected = predicted(problem, request))
    explanation.decision = std::move(*expected);
  else
    explanation.decision = untuned(problem, request, asked.lineup());
  if (pins.choice != nullptr) choose_pinned(explanation.decision, *pins.file, *pins.choice);
  if (explanation.decision.winner) explanation.ruling = ruling_of(explanation.decision);
  explanation.miss = std::move(known.miss);
  explanation.entrants = asked.take_answers();
  explanation.work = work_of(problem);
  explanation.roof = known_roof(problem, request);
  return explanation;
}

}  // namespace atc::conv
