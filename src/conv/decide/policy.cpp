#include "conv/decide/policy.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <utility>

#include "conv/decide/checked_once.hpp"
#include "conv/decide/decision_log.hpp"
#include "conv/decide/from_default.hpp"
#include "conv/decide/from_other_versions.hpp"
#include "conv/decide/from_pin.hpp"
#include "conv/decide/from_prediction.hpp"
#include "conv/decide/from_records.hpp"
#include "conv/decide/near_records.hpp"
#include "conv/decide/nearest_record.hpp"
#include "conv/entrants.hpp"
#include "conv/key.hpp"
#include "conv/memory.hpp"
#include "conv/noted.hpp"
#include "conv/pins/pins_in_use.hpp"
#include "conv/race/contest.hpp"
#include "conv/race/lineup.hpp"
#include "conv/race/under_way.hpp"
#include "core/error.hpp"
#include "core/format.hpp"
#include "core/log.hpp"
#include "core/quantity.hpp"
#include "device/description.hpp"
#include "device/stream.hpp"
#include "engines/registry.hpp"
#include "store/entry.hpp"

namespace atc::conv {

namespace {

using StorePtr = std::shared_ptr<store::Store>;

bool replay_only(const StorePtr& store) {
  return store != nullptr && store->mode() == store::Mode::replay_only;
}

std::string reasons_of(const Decision& decision) {
  std::string reasons = decision.why;
  for (const Candidate& candidate : decision.candidates)
    if (!candidate.reason.empty())
      reasons += format("{}{}: {}", reasons.empty() ? "" : "; ", to_string(candidate.choice),
                        candidate.reason);
  return reasons;
}

// Makes the same decision as decide_given() (policy.hpp), but does not log it.
Decided given(const Problem& problem, const Request& request, const Choice& choice);

// Makes the decision for a problem with batch 0. There is nothing to compute (only backward-weight
// has an output then, which is filled with zeros). So the reference engine runs, and no other
// engine is asked.
Decided decide_empty(const Problem& problem, const Request& request) {
  const auto reference = EngineRegistry::instance().find(kReferenceEngine);
  std::string why_not;
  const auto offers = reference->offers(problem, request.limits, why_not);
  if (offers.empty()) {
    Lineup nobody;
    nobody.reasons = why_not;
    fail_without_offers(problem, request.device, nobody);
  }
  Decided decided = given(
      problem, request, {kReferenceEngine, reference->version(), offers.front().configuration, {}});
  Decision decision = *decided.decision;
  decision.source = Source::default_engine;
  decided.decision = std::make_shared<const Decision>(std::move(decision));
  return decided;
}

// Makes one decision for one request, from the first source that has a decision.
class Deciding {
 public:
  Deciding(const Problem& problem, const Request& request, const OnFraction& on_progress)
      : problem_(problem),
        request_(request),
        on_progress_(on_progress),
        knowledge_(request.knowledge_in_use()),
        store_(knowledge_.store()),
        adopts_(adopts(request, store_)) {
    // A request that only uses the default needs neither the key of the problem nor the roster (the
    // list of its engines). Both contain the versions of engines, and asking an engine for its
    // version opens its library.
    if (!reads(store_) && !request_.tune && !request_.put_off && !request_.notes_misses &&
        !request_.predicts && !has_agreed(knowledge_))
      return;
    key_ = key_for(problem_, request_);
    entrants_ = conv::entrants(request_);
    admitted_ = roster_of(entrants_, request_);
  }

  Decided decide() {
    Decided decided = from_first_source();
    if (request_.put_off && is_due(decided.decision->source)) {
      Decision decision = *decided.decision;
      decision.owed = Owed::tuning;
      decided.decision = std::make_shared<const Decision>(std::move(decision));
    }
    if (request_.notes_misses && is_missed(decided.decision->source) && !is_in_vain()) {
      note(problem_, request_, *key_);
      decided.missed = true;
    }
    return decided;
  }

  // Returns the decision of the first source that has one, for a request that wants no plan and
  // measures nothing.
  Peeked peek() {
    const bool replaying = replay_only(store_);
    if (const auto agreed = from_agreement(replaying)) {
      if (agreed->decision->source == Source::agreed) return {*agreed->decision, ""};
      return {std::nullopt, "nothing: the ranks of this job have agreed on the default"};
    }
    std::optional<Decided> decided;
    if (reads(store_))
      decided =
          answer_or_note(acceptable(recorded(*store_, *key_), request_, replaying), replaying);
    if (!decided) {
      Record record = recalled(knowledge_, *key_, request_);
      for (Decision& decision : record) decision.source = Source::memory;
      decided = answer_or_note(record, false);
    }
    if (!decided) decided = from_adopted();
    if (!decided) decided = from_near();
    if (decided) return {*decided->decision, ""};
    return {std::nullopt, reads(store_) ? nearest() : ""};
  }

  // Returns a decision that a request which tunes can use without a race. Empty if there is none.
  std::optional<Decision> known_decision() {
    const bool replaying = replay_only(store_);
    std::optional<Decided> decided;
    if (reads(store_) && (request_.retune != Retune::all || replaying))
      decided =
          answer_or_note(acceptable(recorded(*store_, *key_), request_, replaying), replaying);
    const bool anew = request_.retune == Retune::all;
    if (!decided && !anew) decided = answer_or_note(recalled(knowledge_, *key_, request_), false);
    if (!decided && !anew)
      decided = answer_or_note(usable(held_back(knowledge_, *key_), request_), false);
    if (!decided) return std::nullopt;
    return *decided->decision;
  }

 private:
  Decided from_first_source() {
    const bool replaying = replay_only(store_);
    if (auto decided = from_agreement(replaying)) return std::move(*decided);
    if (reads(store_) && (request_.retune != Retune::all || replaying)) {
      Record record = acceptable(recorded_and_saved(*store_, *key_), request_, replaying);
      if (auto decided = answer_or_note(record, replaying)) return std::move(*decided);
      if (replaying) {
        if (auto decided = from_near()) return std::move(*decided);
        fail_not_recorded();
      }
    }
    if (request_.tune) {
      if (request_.retune != Retune::all)
        if (auto decided = from_memory()) return std::move(*decided);
      // If several threads ask for the same new problem at the same time, one thread runs the race.
      // The other threads wait and use its decision.
      const UnderWay race(store::CanonicalKey(*key_).text());
      if (race.waited() && request_.retune != Retune::all)
        if (auto decided = from_memory()) return std::move(*decided);
      if (auto decided = from_race()) return std::move(*decided);
    } else {
      if (request_.put_off || request_.notes_misses || request_.predicts)
        if (auto decided = from_memory()) return std::move(*decided);
      if (auto decided = from_adopted()) return std::move(*decided);
      if (auto decided = from_near()) return std::move(*decided);
      if (reads(store_)) tell_miss();
      if (request_.predicts) return predicted();
    }
    return from_default(problem_, request_);
  }

  Decided predicted() const {
    Predicted predicted = from_prediction(problem_, request_, *key_);
    if (predicted.decided) return std::move(*predicted.decided);
    Decided decided = from_default(problem_, request_);
    if (predicted.owed) {
      Decision decision = *decided.decision;
      decision.owed = Owed::check;
      decided.decision = std::make_shared<const Decision>(std::move(decision));
    }
    return decided;
  }

  // Returns the decision on which the ranks of a distributed job have agreed. If this request
  // cannot run the agreed choice, the default runs. The requests of all ranks are equal, so all
  // ranks run the default then.
  std::optional<Decided> from_agreement(bool replaying) {
    if (!key_ || request_.for_group || request_.retune == Retune::all) return std::nullopt;
    for (AgreedDecision& agreed : recall_agreed(knowledge_, *key_, request_.front_end)) {
      const bool exact = agreed.front_end == request_.front_end;
      if (agreed.decision == nullptr) {
        if (!exact || replaying) continue;
        return from_default(problem_, request_);
      }
      if (request_.require_firm && agreed.decision->unstable)
        return from_default(problem_, request_);
      auto match = best_match({*agreed.decision}, request_, admitted_);
      if (!match || (!exact && !match->newcomers.empty())) continue;
      match->decision.source = Source::agreed;
      if (auto decided = ready(std::move(*match))) return decided;
      return from_default(problem_, request_);
    }
    return std::nullopt;
  }

  // Whether a decision from this source is used only because the problem was not measured. The
  // source `reference` does not count: a race would find nothing better, because the slow reference
  // runs only problems that no other engine can run.
  static bool is_missed(Source source) {
    return source == Source::default_engine || source == Source::inherited ||
           source == Source::adopted;
  }

  // Whether the same request would run a race if it were allowed to measure, although there is a
  // decision from `source`.
  bool is_due(Source source) const {
    if (source == Source::agreed) return false;
    if (source == Source::default_engine || source == Source::reference) return true;
    if (replay_only(store_)) return false;
    Request measuring = request_;
    measuring.tune = true;
    const auto is_answered = [&](const Record& record) {
      const auto match = best_match(record, measuring, admitted_);
      return match && decides(*match, measuring, entrants_, false);
    };
    if (reads(store_) && is_answered(acceptable(recorded(*store_, *key_), measuring, false)))
      return false;
    return !is_answered(recalled(knowledge_, *key_, measuring));
  }

  // Returns a decision that was recorded with other versions of the default engines, if the request
  // may use such a decision.
  std::optional<Decided> from_adopted() const {
    if (!adopts_) return std::nullopt;
    return from_other_versions(*store_, *key_, problem_, request_, entrants_);
  }

  // Makes the best choice that was recorded with other versions the favourite of the race.
  void favour_adopted(Lineup& lineup) const {
    if (!adopts_) return;
    const auto adopted = decisions_of_other_versions(*store_, *key_, request_, entrants_);
    if (adopted.empty()) return;
    const Match& match = adopted.front().match;
    favour(lineup, match.decision.choice, match.chain, problem_, request_);
  }

  // Returns the decision that was recorded for the nearest other size of the problem, if the
  // request may use such a decision. If the store is replay-only, such a decision may be used only
  // if near_shapes is given and true.
  std::optional<Decided> from_near() const {
    if (!reads(store_) || !request_.near_shapes.value_or(!replay_only(store_))) return std::nullopt;
    return from_nearest(store_, *key_, problem_, request_, entrants_);
  }

  // Returns the reason why the store has no usable record, as a phrase for the log.
  std::string nearest() {
    if (const std::string trouble = store_->trouble(); !trouble.empty())
      return "nothing: " + trouble;
    if (const Record record = recorded(*store_, *key_); !record.empty()) {
      const Decision& first = record.front();
      // The message for the user names the option `retune`, because tuning without this option
      // would find the record and measure nothing.
      const char* objection = "cannot be built here (tune it with retune)";
      if (request_.require_firm && first.unstable)
        objection = "is provisional, which require_firm refuses";
      else if (request_.strict_precision && first.candidates[*first.winner].imprecise)
        objection = "has less precision than is allowed, which strict_precision refuses";
      else if (const auto match = best_match(record, request_, admitted_);
               match && !decides(*match, request_, entrants_, false))
        objection = "was not compared with the default in its present version";
      return format("one, whose choice {} {}{}", to_string(first.choice), objection,
                    of_other_versions());
    }
    const std::string other = nearest_record(store_, *key_);
    std::string text = other.empty() ? "nothing like it" : "it " + other;
    if (!request_.near_shapes.value_or(!replay_only(store_)) && !near_keys(store_, *key_).empty())
      text += ", which serves it if the option near_shapes is on";
    return text + of_other_versions();
  }

  // Returns the end of a sentence if a record of other versions would serve the problem, but the
  // option is off; "" otherwise.
  std::string of_other_versions() const {
    if (adopts_ || replay_only(store_) ||
        decisions_of_other_versions(*store_, *key_, request_, entrants_).empty())
      return "";
    return ", which serves it if the option other_versions is on";
  }

  [[noreturn]] void fail_not_recorded() {
    if (const std::string trouble = store_->trouble(); !trouble.empty())
      fail(Status::not_tuned, "{} is not decided: {}", describe(problem_), trouble);
    fail(Status::not_tuned,
         "no usable record for {}: tune it with the store open for writing, on this machine with "
         "these settings; the replay-only store '{}' has {}",
         describe(problem_), store_->directory().string(), nearest());
  }

  // Logs that the store has no usable record, once in the process. Later cases are not logged,
  // because finding the most similar record for the message reads the whole store.
  void tell_miss() {
    static std::atomic_flag told = ATOMIC_FLAG_INIT;
    if (log_level() < LogLevel::info || told.test_and_set()) return;
    log(LogLevel::info, format("no usable record for {}: the store '{}' has {}; further misses "
                               "are not logged",
                               describe(problem_), store_->directory().string(), nearest()));
  }

  std::optional<Decided> ready(Match match) const {
    return prepare(std::move(match), problem_, request_, store_.get(), *key_);
  }

  // Returns the decision from the record, if the record has one that this request can use without a
  // race. Otherwise the best decision of the record is remembered in `without_newcomers_`, so that
  // a race can compare its winner with the newcomers (engines and rewrites that the decision's race
  // did not include).
  std::optional<Decided> answer_or_note(const Record& record, bool replaying) {
    auto match = best_match(record, request_, admitted_);
    if (!match) return std::nullopt;
    if (decides(*match, request_, entrants_, replaying)) return ready(std::move(*match));
    if (!without_newcomers_ || match->newcomers.size() < without_newcomers_->newcomers.size())
      without_newcomers_ = std::move(match);
    return std::nullopt;
  }

  std::optional<Decided> from_memory() {
    Record record = recalled(knowledge_, *key_, request_);
    // The oldest decision is written first: each decision is added at the front of the store's
    // record, so the newest becomes the first.
    for (auto decision = record.rbegin(); decision != record.rend(); ++decision) {
      // Tries to store the decision now: the process may have measured the decision before it used
      // this store, or an earlier attempt to store the decision may have failed.
      if (decision->keeping == Keeping::refused) decision->keeping = Keeping::unkept;
      if (reads(store_)) write_down(*store_, *key_, request_, *decision);
      decision->source = Source::memory;
    }
    return answer_or_note(record, false);
  }

  std::optional<Decided> from_race() {
    try {
      if (without_newcomers_)
        if (auto decided = against_newcomers()) return decided;
      if (is_in_vain()) return std::nullopt;
      Lineup lineup = full_lineup(problem_, request_);
      if (!lineup.default_candidate) fail_without_offers(problem_, request_.device, lineup);
      // If no engine but the slow reference can run the problem, there is nothing to compare.
      if (lineup.only_reference) return std::nullopt;
      favour_adopted(lineup);
      Raced raced = contest(problem_, request_, std::move(lineup), "", keeps(), on_progress_);
      if (ran_original_alone(raced.decision)) {
        tell_uncompared("the default runs");
        note_in_vain();
        return std::nullopt;
      }
      return settle(std::move(raced));
    } catch (const Error& error) {
      // If memory is short, a call that wants a plan continues without tuning. A call that only
      // wants the decision gets the error.
      if (error.status() != Status::out_of_memory || !request_.plan_wanted) throw;
      log_once(LogLevel::warning, format("{} is not tuned: {}", describe(problem_), error.what()));
    }
    // There was no memory to compare the recorded choice with the newcomers (engines and rewrites
    // that are not in the record). The recorded choice is used nevertheless, because it is better
    // than the default.
    if (without_newcomers_) return ready(*without_newcomers_);
    return std::nullopt;
  }

  // Whether a race of this problem in this process was in vain before: no candidate passed,
  // although the race had all engines and rewrites of this request and at least its budget.
  bool is_in_vain() const {
    if (request_.retune == Retune::all) return false;
    const auto race = recall_in_vain(knowledge_, *key_);
    return race && race->strict_precision == request_.strict_precision &&
           race->budget_seconds >= request_.race.budget_seconds &&
           admitted_.without(race->asked).empty();
  }

  void note_in_vain() {
    remember_in_vain(knowledge_, *key_,
                     {admitted_, request_.race.budget_seconds, request_.strict_precision});
  }

  // Whether the race has run nothing but the program's own convolution, because its executions took
  // the whole budget, although an untuned call runs another candidate. (The first candidate of a
  // lineup is the one that an untuned call runs, or the recorded winner.) Such a race says nothing
  // about the other candidates. So its winner, the program's own convolution, must not replace what
  // runs without the race, which may be much faster.
  static bool ran_original_alone(const Decision& decision) {
    return decision.completeness == Completeness::uncompared && decision.winner &&
           decision.winner == decision.default_candidate && *decision.winner != 0;
  }

  void tell_uncompared(const char* what_runs) const {
    log_once(LogLevel::warning,
             format("tuning of {} compared nothing, because the program's own convolution took the "
                    "whole budget of {}: {}",
                    describe(problem_), time_text(request_.race.budget_seconds), what_runs));
  }

  // Runs a race between the newcomers (engines and rewrites that are not in the roster of the
  // recorded race) and the recorded winner. The recorded winner takes the role of the default,
  // because it was at least as good as the default. But if the program's own convolution is among
  // the newcomers, the program's own convolution is the default.
  std::optional<Decided> against_newcomers() {
    if (store_ != nullptr) load_compiled(*store_, *key_, without_newcomers_->decision);
    const Decision& known = without_newcomers_->decision;
    Lineup lineup = newcomers_lineup(problem_, request_, without_newcomers_->newcomers);
    if (lineup.candidates.empty()) {
      Decision decision = known;
      decision.roster.add(lineup.roster);
      if (!(decision.roster == known.roster)) keep(decision);
      return ready(
          {std::move(decision), without_newcomers_->chain, without_newcomers_->captured, {}});
    }
    const std::optional<std::size_t> original = original_of(lineup);
    // for each candidate of this race, its index among all candidates of the new decision
    std::vector<std::size_t> places{*known.winner};
    lineup.candidates.insert(lineup.candidates.begin(), known.candidates[*known.winner]);
    lineup.chains.insert(lineup.chains.begin(), without_newcomers_->chain);
    if (without_newcomers_->captured) {
      places.push_back(*known.captured);
      lineup.candidates.insert(lineup.candidates.begin() + 1, known.candidates[*known.captured]);
      lineup.chains.insert(lineup.chains.begin() + 1, *without_newcomers_->captured);
    }
    const std::size_t default_candidate = original ? places.size() + *original : 0;
    lineup.default_candidate = default_candidate;
    Raced raced =
        contest(problem_, request_, std::move(lineup), known.compiled, keeps(), on_progress_);
    Decision& decision = raced.decision;
    if (original && ran_original_alone(decision)) {
      tell_uncompared("the recorded choice runs");
      Decision kept = known;
      kept.source = Source::tuned;
      kept.roster.add(decision.roster);
      kept.completeness = Completeness::uncompared;
      kept.budget_seconds = request_.race.budget_seconds;
      keep(kept);
      return ready({std::move(kept), without_newcomers_->chain, without_newcomers_->captured, {}});
    }
    // If the recorded winner cannot run any more, a full race follows, because the candidates that
    // had lost to it may win now.
    if (decision.completeness != Completeness::cancelled && !decision.candidates.front().ran())
      return std::nullopt;
    // The new decision also lists the losers of the recorded race, with their recorded results.
    // They need not be timed again: they lost to the recorded winner, which took part in this race.
    std::vector<Candidate> all = known.candidates;
    for (std::size_t i = 0; i < decision.candidates.size(); ++i) {
      if (i == places.size()) {
        places.push_back(all.size());
        all.emplace_back();
      }
      all[places[i]] = std::move(decision.candidates[i]);
    }
    decision.candidates = std::move(all);
    decision.default_candidate = original ? places[default_candidate] : known.default_candidate;
    if (decision.winner) decision.winner = places[*decision.winner];
    if (decision.captured) decision.captured = places[*decision.captured];
    decision.roster.add(known.roster);
    decision.narrowed = known.narrowed;
    // If the recorded decision was provisional, the new decision is provisional, too, because the
    // uncertainty about the candidates that were not timed again remains. So the risks of both
    // races are combined.
    if (known.unstable) {
      decision.unstable = true;
      decision.risk = (1 + known.risk) * (1 + decision.risk) - 1;
      decision.budget_seconds = std::min(decision.budget_seconds, known.budget_seconds);
      decision.why = decision.why.empty() ? known.why : known.why + "; " + decision.why;
    }
    return settle(std::move(raced));
  }

  // Whether compiled texts are stored, so that later processes need not compile.
  bool keeps() const { return store_ != nullptr && store_->mode() == store::Mode::read_write; }

  void keep(Decision& decision) {
    if (request_.for_group) {
      if (decision.may_be_remembered()) hold_back(knowledge_, *key_, decision);
      return;
    }
    if (store_ != nullptr) write_down(*store_, *key_, request_, decision);
    if (decision.may_be_remembered()) remember(knowledge_, *key_, decision);
  }

  std::optional<Decided> settle(Raced raced) {
    Decision& decision = raced.decision;
    if (!decision.winner) {
      if (decision.completeness == Completeness::cancelled) fail_cancelled(problem_);
      log_once(LogLevel::warning, format("tuning of {} found nothing that runs: {}",
                                         describe(problem_), reasons_of(decision)));
      // If a candidate failed because memory was short, the race is not remembered as one in vain:
      // with more memory another race may have a result.
      const bool lacked_memory = std::any_of(
          decision.candidates.begin(), decision.candidates.end(),
          [&](const Candidate& one) { return one.outcome == tune::Outcome::out_of_memory; });
      if (!lacked_memory) note_in_vain();
      return std::nullopt;
    }
    if (request_.plan_wanted && (decision.completeness == Completeness::cancelled ||
                                 (on_progress_ && !on_progress_(1, {}))))
      fail_cancelled(problem_);
    decision.source = Source::tuned;
    keep(decision);
    if (raced.prepared == nullptr)
      return ready({std::move(decision), std::move(raced.chain), {}, {}});
    Decided decided;
    decided.prepared = std::move(raced.prepared);
    decided.chain = std::move(raced.chain);
    decision.free_compiled();
    decided.decision = std::make_shared<const Decision>(std::move(decision));
    return decided;
  }

  const Problem& problem_;
  const Request& request_;
  const OnFraction& on_progress_;
  const Knowledge knowledge_;
  const StorePtr& store_;
  const bool adopts_;  // whether records of other versions may be used
  Entrants entrants_;
  Roster admitted_;
  std::optional<store::Key> key_;
  // The best known decision that cannot be used without a race, because an engine or a rewrite that
  // the request admits did not take part in its race.
  std::optional<Match> without_newcomers_;
};

// Returns a text with the place of each pin, for example "pins.json:12: pin 3 (stem), …".
std::string places(const PinFile& file, const std::vector<const Pin*>& pins) {
  std::string text;
  for (const Pin* const pin : pins)
    text += format("{}{}", text.empty() ? "" : ", ", file.place(*pin));
  return text;
}

// Decides by the pin file in use, if it has pins for the problem. Otherwise decides without pins.
Decided decide_pinned(const Problem& problem, Request& request, const OnFraction& on_progress) {
  const PinsForProblem pins = pins_for(problem, request);
  if (pins.choice != nullptr) return from_pin(*pins.file, *pins.choice, problem, request);
  if (pins.file != nullptr) warn_of_unknown(*pins.file, pins.bars);
  obey_bars(pins.bars, request);
  try {
    return Deciding(problem, request, on_progress).decide();
  } catch (const Error& error) {
    if (error.status() != Status::unsupported || pins.bars.empty()) throw;
    fail(Status::unsupported, "{} (barred by {}: change the pins, or run without the file)",
         error.what(), places(*pins.file, pins.bars));
  }
}

// Checks a choice that the caller gave. Throws Error(unsupported) if the correctness gate refuses
// it.
Checked check_given(const Choice& choice, const Chain& chain, const Problem& problem,
                    const Request& request, const Prepared& prepared) {
  const auto candidate = [&] {
    if (auto found = find_offer(chain, choice, problem, request.limits))
      return std::move(found->candidate);
    // The choice can be built, but the engine does not list it among its offers. So it is not known
    // how precise its partial sums are. The check then compares its results with the reference
    // within an error bound, and does not require equality.
    Candidate unknown;
    unknown.choice = choice;
    unknown.exactness = Exactness::transformed;
    return unknown;
  };
  Checked checked =
      check_once_for_kind(choice, chain, problem, request, prepared, Asked::by_call, candidate);
  if (!checked.refusal.empty())
    fail(Status::unsupported, "choice '{}': the correctness gate refuses it for {}: {}",
         to_string(choice), describe(problem), checked.refusal);
  return checked;
}

Decided given(const Problem& problem, const Request& request, const Choice& choice) {
  require_device(request.device);
  const AllocatorScope scope(request.allocator);
  std::string why_not;
  auto chain = find_chain(choice, request.device.type, why_not);
  if (!chain) fail(Status::unsupported, "choice '{}': {}", to_string(choice), why_not);
  Decided decided;
  try {
    decided.prepared = build_for_plan(*chain, choice, problem, request);
  } catch (const Error& error) {
    if (error.status() == Status::out_of_memory) throw;
    const bool broken = error.status() == Status::library || error.status() == Status::device;
    fail(broken ? error.status() : Status::unsupported, "choice '{}' cannot be built: {}",
         to_string(choice), error.what());
  }
  const Checked checked = check_given(choice, *chain, problem, request, *decided.prepared);
  decided.chain = std::move(*chain);
  Decision decision;
  decision.source = Source::given;
  if (checked.owed) decision.owed = Owed::check;
  decision.choice = choice;
  decision.winner = 0;
  decision.candidates.resize(1);
  decision.candidates[0].choice = choice;
  decision.candidates[0].rewrites = rewrites_text(choice);
  decision.candidates[0].workspace = decided.prepared->workspace_size();
  decided.decision = std::make_shared<const Decision>(std::move(decision));
  return decided;
}

Decided decided_now(const Problem& problem, const Request& asked, const OnFraction& on_progress) {
  require_device(asked.device);
  const AllocatorScope scope(asked.allocator);
  Request request = asked;
  if (request.tune && is_captured(request.device, request.stream)) {
    if (request.must_tune)
      fail(Status::capturing,
           "{} would be measured, but a stream is being captured: tune before the capture",
           describe(problem));
    request.tune = false;
    request.put_off = true;
  }
  if (problem.batch() == 0) return decide_empty(problem, request);
  Decided decided = decide_pinned(problem, request, on_progress);
  if (decided.decision->source == Source::reference)
    log_once(LogLevel::warning,
             format("the slow reference runs {}: no other engine can", describe(problem)));
  return decided;
}

// Makes a decision by calling `decide`, logs the decision, and returns the decision.
template <typename Decide>
Decided logged(const Problem& problem, const Request& request, Decide decide) {
  using std::chrono::steady_clock;
  const auto began = steady_clock::now();
  Decided decided = decide();
  const std::chrono::duration<double> took = steady_clock::now() - began;
  log_decision(problem, request, *decided.decision, took.count());
  return decided;
}

}  // namespace

Peeked peek(const Problem& problem, const Request& asked) {
  require_device(asked.device);
  Request request = asked;
  request.plan_wanted = false;
  request.tune = false;
  request.put_off = true;  // lets peek() also use decisions that this process has measured
  return Deciding(problem, request, {}).peek();
}

std::optional<Decision> known_decision(const Problem& problem, const Request& asked) {
  require_device(asked.device);
  Request request = asked;
  request.plan_wanted = false;
  request.tune = true;
  return Deciding(problem, request, {}).known_decision();
}

Decided decide_given(const Problem& problem, const Request& request, const Choice& choice) {
  return logged(problem, request, [&] { return given(problem, request, choice); });
}

Decided decide(const Problem& problem, const Request& asked, const OnFraction& on_progress) {
  return logged(problem, asked, [&] { return decided_now(problem, asked, on_progress); });
}

}  // namespace atc::conv
