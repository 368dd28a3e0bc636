#include "conv/decide/from_records.hpp"

#include <algorithm>
#include <utility>

#include "conv/decide/checked_once.hpp"
#include "conv/decide/kept_verdict.hpp"
#include "conv/decide/near_records.hpp"
#include "conv/key.hpp"
#include "core/error.hpp"
#include "core/format.hpp"
#include "core/inside.hpp"
#include "core/log.hpp"
#include "device/stream.hpp"
#include "engines/registry.hpp"
#include "store/entry.hpp"
#include "store/origin.hpp"

namespace atc::conv {

namespace {

using store::Json;

// Returns the chain (rewrites and engine) of the candidate. The result is empty if a part of the
// chain is not registered, or if the request may not run the candidate.
std::optional<Chain> available(const Candidate& candidate, const Request& request) {
  const Choice& choice = candidate.choice;
  if (!request.admits(choice)) return std::nullopt;
  if (candidate.returns_output && !request.races_output_of(choice.engine)) return std::nullopt;
  if (choice.engine == kReferenceEngine && !request.allow_reference) return std::nullopt;
  std::string why_not;
  return find_chain(choice, request.device.type, why_not);
}

// Returns the decision as a request with strict_precision uses it. If the winner is imprecise (its
// partial sums have less precision than is allowed), it is replaced by the fastest precise
// candidate that was timed. Returns nothing if there is no such candidate.
std::optional<Decision> strictly(Decision decision) {
  std::vector<Candidate>& candidates = decision.candidates;
  if (decision.captured && candidates[*decision.captured].imprecise) decision.captured.reset();
  Candidate& refused = candidates[*decision.winner];
  if (!refused.imprecise) return decision;
  std::optional<std::size_t> fastest;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const tune::Statistics& times = candidates[i].statistics;
    if (!candidates[i].ran() || candidates[i].imprecise || times.samples == 0) continue;
    if (!fastest || times.median < candidates[*fastest].statistics.median) fastest = i;
  }
  if (!fastest) return std::nullopt;
  refused.outcome = tune::Outcome::wrong_result;
  Candidate& taken = candidates[*fastest];
  taken.outcome = tune::Outcome::won;
  taken.reason.clear();
  decision.choice = taken.choice;
  decision.winner = fastest;
  decision.forget_compiled();
  decision.narrowed = true;
  return decision;
}

// Returns the reason why the correctness gate refuses the choice of a record; "" if it is not
// refused. A record from elsewhere is checked once for each problem and process. A record of
// another size is checked once for each kind of problem (problems that the same kernel computes,
// race/kind.hpp). If the store has the result of an earlier check, this result is used. The check
// uses the kernel that `prepared` has compiled.
std::string refusal_of_gate(const Match& match, const Prepared& prepared, const Problem& problem,
                            const Request& request) {
  const CheckRecords checks = checks_of_process();
  const Candidate& winner = match.decision.candidates[*match.decision.winner];
  if (checks != CheckRecords::never && match.decision.source == Source::inherited) {
    Checked checked = check_once_for_kind(winner.choice, match.chain, problem, request, prepared,
                                          Asked::by_call, [&] { return winner; });
    if (checked.owed) return "a stream capture does not allow its check at this size";
    if (!checked.refusal.empty()) return std::move(checked.refusal);
  }
  if (auto known = known_result(match.decision, problem, request)) return *known;
  // In two cases the choice runs unchecked. While the stream is being captured, a check cannot
  // execute anything. In a callback, this thread may hold the lock for which a check waits, so that
  // it would wait for ever.
  if (is_captured(request.device, request.stream) || is_inside_callback()) return "";
  try {
    return verdict(winner, match.chain, problem, request, prepared.compiled());
  } catch (const Error& error) {
    if (error.status() != Status::out_of_memory) throw;
    log_once(LogLevel::warning,
             format("the recorded choice {} for {} runs unchecked: its check needs memory ({})",
                    to_string(winner.choice), describe(problem), error.what()));
    return "";
  }
}

// Builds the choice of captured calls (calls that are recorded into a CUDA graph). Whatever the
// error is, returns nothing if the choice cannot be built: during a capture building can fail for
// additional reasons, and the caller can still use the choice of eager calls.
std::optional<Decided> prepare_captured(const Match& match, const Problem& problem,
                                        const Request& request) {
  const Choice& choice = match.decision.choice_of(true);
  Decided decided;
  try {
    decided.prepared = build_for_plan(*match.captured, choice, problem, request);
  } catch (const Error& error) {
    log_once(LogLevel::info,
             format("captured calls of {} run the choice of eager ones: {} cannot be built "
                    "({})",
                    describe(problem), to_string(choice), error.what()));
    return std::nullopt;
  }
  decided.chain = *match.captured;
  Decision decision = match.decision;
  decision.choice = choice;
  decision.winner = decision.captured;
  decision.forget_compiled();
  decided.decision = std::make_shared<const Decision>(std::move(decision));
  return decided;
}

Record decisions_of(const store::Entry& entry) {
  try {
    Record record = record_from_json(entry.value);
    for (Decision& decision : record) {
      decision.received = decision.received || entry.foreign || entry.elsewhere;
      if (entry.foreign || entry.elsewhere) decision.checked = {};
      decision.keeping = entry.unsaved ? Keeping::refused : Keeping::stored;
    }
    return record;
  } catch (const Error&) {
    return {};  // The entry cannot be read, and record_from_json has logged the reason.
  }
}

// Writes the choice's compiled text, by which later processes need not compile, into a sidecar (a
// file beside the store's entry), and sets `decision.sidecar` to its name. If the file cannot be
// written, only this process has the text.
void put_compiled(store::Store& store, const store::Key& key, Decision& decision) {
  if (decision.compiled.empty()) return;
  try {
    decision.sidecar = store.put_sidecar(key, decision.compiled);
  } catch (const Error& error) {
    decision.sidecar.reset();
    log_once(LogLevel::info, format("the compiled form of {} is not kept: {}",
                                    to_string(decision.choice), error.what()));
  }
}

// Writes a new sidecar (a file with compiled text) in place of the sidecar `lost`, which is missing
// or damaged. Then changes every decision of the entry that names `lost`, so that it names the new
// file.
void replace_compiled(store::Store& store, const store::Key& key, const store::SidecarName& lost,
                      const std::string& compiled) {
  if (compiled.empty()) return;
  try {
    const store::SidecarName made = store.put_sidecar(key, compiled);
    const auto entry = made == lost ? nullptr : store.get(key);
    if (entry == nullptr || entry->elsewhere) return;
    Json value = entry->value;
    const Json from = to_json(lost), to = to_json(made);
    const auto rename = [&](Json& decision) {
      if (const auto name = decision.find(store::kSidecar); name != decision.end() && *name == from)
        *name = to;
    };
    rename(value);
    if (const auto others = value.find(store::kOthers); others != value.end())
      for (Json& other : *others) rename(other);
    store.put(key, value);
  } catch (const Error& error) {
    log_once(LogLevel::info, format("the compiled form is not kept: {}", error.what()));
  }
}

// Stores the result of this process's correctness check for the choice of a received decision (a
// decision that was measured elsewhere).
void keep_result(store::Store& store, const store::Key& key, const Decision& decision,
                 const Problem& problem, const Request& request) {
  const auto known = known_verdict(decision.choice, problem, request);
  if (known && kept_verdict(decision, request) != known)
    keep_verdict(store, key, decision, request, *known);
}

// Writes a record to the store. An entry has room for 64 KiB. If the record is larger, its last
// decisions are left out, but never the first one. Writes nothing and returns false in two cases:
// the decision with the index `added` would have to be left out; or the record is provisional, and
// another process has meanwhile written a firm one.
bool put(store::Store& store, const store::Key& key, Record record, std::size_t added) {
  for (Decision& one : record) put_compiled(store, key, one);
  for (;;) {
    try {
      return store.put(key, to_json(record));
    } catch (const Error& error) {
      if (error.status() != Status::bad_record || record.size() < 2) throw;
      record.pop_back();
      if (added == record.size()) return false;
    }
  }
}

}  // namespace

bool to_be_raced_again(const Decision& decision, const Request& request) {
  return decision.unstable && request.tune &&
         (request.retune == Retune::provisional ||
          request.race.budget_seconds > decision.budget_seconds);
}

Record acceptable(Record record, const Request& request, bool replaying) {
  const auto refused = [&](const Decision& decision) {
    return decision.unstable &&
           (request.require_firm || (!replaying && to_be_raced_again(decision, request)));
  };
  record.erase(std::remove_if(record.begin(), record.end(), refused), record.end());
  return record;
}

Record usable(const Record& measured, const Request& request) {
  Record record;
  for (const Decision& known : measured)
    if (!to_be_raced_again(known, request) && (!known.narrowed || request.strict_precision) &&
        (known.completeness != Completeness::uncompared ||
         request.race.budget_seconds <= known.budget_seconds))
      record.push_back(known);
  return record;
}

Record recalled(const Knowledge& knowledge, const store::Key& key, const Request& request) {
  return usable(recall(knowledge, key), request);
}

std::optional<Match> best_match(const Record& record, const Request& request,
                                const Roster& admitted) {
  std::optional<Match> best;
  for (const Decision& known : record) {
    Roster newcomers = admitted.without(known.roster);
    if (best && newcomers.size() >= best->newcomers.size()) continue;
    auto decision = request.strict_precision ? strictly(known) : known;
    if (!decision) continue;
    auto chain = available(decision->candidates[*decision->winner], request);
    if (!chain) continue;
    std::optional<Chain> captured;
    if (decision->captured)
      captured = available(decision->candidates[*decision->captured], request);
    best =
        Match{std::move(*decision), std::move(*chain), std::move(captured), std::move(newcomers)};
  }
  return best;
}

std::optional<std::string> known_result(const Decision& decision, const Problem& problem,
                                        const Request& request) {
  const CheckRecords checks = checks_of_process();
  if (checks == CheckRecords::never) return "";
  if (checks == CheckRecords::foreign && !decision.received) return "";
  if (auto known = known_verdict(decision.choice, problem, request)) return known;
  return checks == CheckRecords::foreign ? kept_verdict(decision, request) : std::nullopt;
}

bool decides(const Match& match, const Request& request, const Entrants& entrants, bool replaying) {
  if (match.newcomers.empty() || replaying) return true;
  if (request.tune) return false;
  const auto expected = expected_default(entrants);
  return !expected || match.decision.roster.has(expected->first, expected->second);
}

Record recorded(store::Store& store, const store::CanonicalKey& key) {
  const auto entry = store.get(key);
  return entry == nullptr ? Record{} : decisions_of(*entry);
}

Record recorded_and_saved(store::Store& store, const store::Key& key) {
  const store::CanonicalKey canonical(key);
  const auto entry = store.get(canonical);
  if (entry == nullptr) return {};
  if (!entry->unsaved) return decisions_of(*entry);
  try {
    store.put(key, entry->value);
    return recorded(store, canonical);
  } catch (const Error& error) {
    Record record = decisions_of(*entry);
    for (Decision& decision : record) decision.why = error.what();
    return record;
  }
}

void load_compiled(store::Store& store, const store::Key& key, Decision& decision) {
  if (!decision.compiled.empty() || !decision.sidecar) return;
  decision.compiled = store.sidecar(key, *decision.sidecar).value_or("");
}

std::optional<Decided> prepare(Match match, const Problem& problem, const Request& request,
                               store::Store* store, const store::Key& key) {
  if (request.plan_wanted && match.captured && is_captured(request.device, request.stream))
    if (auto decided = prepare_captured(match, problem, request)) return decided;
  Decided decided;
  const Choice& choice = match.decision.choice;
  if (request.plan_wanted) {
    Decision& decision = match.decision;
    if (store != nullptr) load_compiled(*store, key, decision);
    try {
      decided.prepared = build_for_plan(match.chain, choice, problem, request, decision.compiled);
      const std::string wrong = refusal_of_gate(match, *decided.prepared, problem, request);
      const bool writes = store != nullptr && store->mode() == store::Mode::read_write;
      if (writes && decision.received) keep_result(*store, key, decision, problem, request);
      if (!wrong.empty()) fail(Status::unsupported, "the correctness gate refuses it: {}", wrong);
      const bool lost = decision.sidecar && decision.compiled.empty();
      if (writes && lost)
        replace_compiled(*store, key, *decision.sidecar, decided.prepared->compiled());
    } catch (const Error& error) {
      // A lack of memory or a failed device says nothing against the choice. So these errors are
      // passed on, and no other choice is made.
      if (error.status() == Status::out_of_memory || error.status() == Status::device) throw;
      log_once(LogLevel::warning, format("the remembered choice {} cannot be built for {}: {}",
                                         to_string(choice), describe(problem), error.what()));
      return std::nullopt;
    }
  }
  decided.chain = std::move(match.chain);
  match.decision.free_compiled();
  decided.decision = std::make_shared<const Decision>(std::move(match.decision));
  return decided;
}

std::string refusal_of(const Decision& decision, const Problem& problem, const Request& request) {
  const Roster admitted = roster_of(entrants(request), request);
  const auto match = best_match({decision}, request, admitted);
  if (!match) return format("{} cannot run here", to_string(decision.choice));
  const auto refusal = [&](const Chain& chain, const Candidate& candidate) -> std::string {
    try {
      const auto prepared = build_for_plan(chain, candidate.choice, problem, request);
      if (!decision.received || checks_of_process() == CheckRecords::never) return "";
      const std::string wrong = verdict(candidate, chain, problem, request, prepared->compiled());
      if (wrong.empty()) return "";
      return format("the correctness gate refuses {}: {}", to_string(candidate.choice), wrong);
    } catch (const Error& error) {
      if (error.status() == Status::device) throw;
      return format("{} cannot be built: {}", to_string(candidate.choice), error.what());
    }
  };
  const Decision& found = match->decision;
  std::string reason = refusal(match->chain, found.candidates[*found.winner]);
  if (reason.empty() && match->captured)
    reason = refusal(*match->captured, found.candidates[*found.captured]);
  return reason;
}

void for_each_of_other_sizes(const std::shared_ptr<store::Store>& store, const store::Key& key,
                             const Request& request, const Entrants& entrants,
                             const std::function<bool(Match&&)>& takes) {
  const Roster admitted = roster_of(entrants, request);
  for (const store::Key& near : near_keys(store, key)) {
    const auto entry = store->get(near);
    if (entry == nullptr) continue;
    auto match = best_match(acceptable(decisions_of(*entry), request, false), request, admitted);
    if (!match || !decides(*match, request, entrants, false)) continue;
    match->decision.source = Source::inherited;
    // The compiled text is removed, because it was made for the size of the record.
    match->decision.forget_compiled();
    match->decision.keeping = Keeping::unkept;
    // The decision was recorded for another size of the problem. The choice for captured calls has
    // not been checked at this size, and it cannot be checked during a capture. So this choice is
    // removed.
    match->captured.reset();
    if (takes(std::move(*match))) return;
  }
}

std::optional<Decided> from_nearest(const std::shared_ptr<store::Store>& store,
                                    const store::Key& key, const Problem& problem,
                                    const Request& request, const Entrants& entrants) {
  std::optional<Decided> decided;
  for_each_of_other_sizes(store, key, request, entrants, [&](Match&& match) {
    decided = prepare(std::move(match), problem, request, store.get(), key);
    return decided.has_value();
  });
  return decided;
}

void write_down(store::Store& store, const store::Key& key, const Request& request,
                Decision& decision) {
  if (!decision.may_be_stored() || store.mode() != store::Mode::read_write) return;
  if (decision.unstable && request.require_firm) return;
  try {
    Record record = recorded(store, key);
    const auto added = add(record, decision);
    if (added) {
      const bool written = put(store, key, std::move(record), *added);
      decision.keeping = written ? Keeping::stored : Keeping::unkept;
    } else if (decision.keeping == Keeping::refused) {
      decision.keeping = Keeping::unkept;
    }
  } catch (const Error& error) {
    // The decision could not be written, and the store has logged a warning. This process still
    // uses the decision.
    decision.keeping = Keeping::refused;
    decision.why = error.what();
  }
}

}  // namespace atc::conv
