// Finds decisions for a problem in the store and in the memory of this process. A decision has a
// roster: the list of the engines and rewrites that were asked for candidates. If a request that
// tunes admits further engines or rewrites (newcomers), a race compares them with the winner first.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conv/decide/decided.hpp"
#include "conv/entrants.hpp"
#include "conv/options.hpp"
#include "conv/record.hpp"
#include "store/store.hpp"

namespace atc::conv {

// A decision of a record, or of this process, whose winner this request can run.
struct Match {
  Decision decision;
  Chain chain;
  // The chain (rewrites and engine) for captured calls. Empty if captured calls have no choice of
  // their own, or if this choice cannot run.
  std::optional<Chain> captured;
  // The engines and rewrites that the request admits, but that were not asked for candidates when
  // the decision was made (they are not in its roster).
  Roster newcomers;
};

// Whether a request measures a problem again although this decision about the problem exists. This
// requires that the decision is provisional, that the request tunes, and one of two conditions: the
// request has a larger budget than the decision's race had, or the request asks to measure
// provisional decisions again.
bool to_be_raced_again(const Decision& decision, const Request& request);
// Returns those decisions of the record that this request may use. Firm decisions (those that are
// not provisional) remain. A provisional decision is removed in two cases: the request requires
// firm decisions, or it measures the problem again. If the store is replay-only (`replaying`),
// nothing is measured again.
Record acceptable(Record record, const Request& request, bool replaying);

// Returns those decisions measured by this process that the request may use. Three kinds of
// decisions are removed:
// - decisions without a comparison (the time ended before two candidates were timed), if the
//   request's budget is larger than theirs;
// - provisional decisions that the request measures again (to_be_raced_again);
// - narrowed decisions (whose winner strict_precision has replaced), unless the request has
//   strict_precision.
//
// If the request has `require_firm`, provisional decisions of this process are not removed: another
// race in this process with the same budget would have the same result.
Record usable(const Record& measured, const Request& request);
// Returns those decisions in the process's memory that the request may use (usable()).
Record recalled(const Knowledge& knowledge, const store::Key& key, const Request& request);

// Considers the decisions whose winner this request can run, and returns the best of these
// decisions: the one with the fewest newcomers (admitted engines and rewrites that are not in its
// roster). If several decisions have equally few newcomers, the first of them is returned. If the
// request has strict_precision and the winner is imprecise, the fastest precise candidate replaces
// the winner.
std::optional<Match> best_match(const Record& record, const Request& request,
                                const Roster& admitted);

// Whether the match (a decision whose winner this request can run) is used without a further race.
// It is used in each of these cases:
// - the match has no newcomers;
// - the store is replay-only (`replaying`);
// - the request measures nothing, and the caller's default engine is in the decision's roster, or
//   there is no default engine.
bool decides(const Match& match, const Request& request, const Entrants& entrants, bool replaying);

// Returns the result of the correctness gate for the choice of a recorded decision, if the result
// is known without a new check. The text is the reason why the choice is refused; "" if the choice
// has passed or need not be checked. Returns nothing if the choice has to be checked.
std::optional<std::string> known_result(const Decision& decision, const Problem& problem,
                                        const Request& request);

// Returns the decisions of the store's entry. The list is empty if there is no entry, or if no
// decision of the entry can be read.
Record recorded(store::Store& store, const store::CanonicalKey& key);
// Returns the decisions of the store's entry, as recorded() does. If an earlier attempt to write
// the entry to the disk has failed, first tries again to write the entry.
Record recorded_and_saved(store::Store& store, const store::Key& key);

// Loads the winner's compiled text from its sidecar (a file beside the record) into
// `decision.compiled`, unless the text is there already. If the sidecar is missing, the text
// remains empty.
void load_compiled(store::Store& store, const store::Key& key, Decision& decision);

// Builds the decision's choice. If the request's stream is being captured, the choice for captured
// calls is tried first. If there is none, or if it cannot be built, the choice for eager calls is
// built. Returns nothing if this choice cannot be built, or if the correctness gate refuses it.
// `store` (or null) and `key` say where the decision was recorded.
std::optional<Decided> prepare(Match match, const Problem& problem, const Request& request,
                               store::Store* store, const store::Key& key);

// Returns the reason why the decision of another rank of a distributed job cannot be used here; ""
// if it can be used. Both the choice for eager calls and the choice for captured calls are built.
// If the decision was received (measured elsewhere), the correctness gate checks both choices, too.
// Throws Error(device).
std::string refusal_of(const Decision& decision, const Problem& problem, const Request& request);

// Calls `takes` with those decisions that were recorded for a near size of the problem
// (near_records.hpp) and that this request may use, the decision for the nearest size first. Ends
// when `takes` returns true. The entries of the store are read one by one.
void for_each_of_other_sizes(const std::shared_ptr<store::Store>& store, const store::Key& key,
                             const Request& request, const Entrants& entrants,
                             const std::function<bool(Match&&)>& takes);
// Returns the decision of the nearest record of another size (near_records.hpp) that this request
// may use and whose choice can be built at this size. The correctness gate checks the choice once
// for each kind of problem (race/kind.hpp).
std::optional<Decided> from_nearest(const std::shared_ptr<store::Store>& store,
                                    const store::Key& key, const Problem& problem,
                                    const Request& request, const Entrants& entrants);

// Adds the decision to the store's record. Decisions for which other engines were compared (with
// another roster) remain in the record. Afterwards `decision.keeping` says whether the decision is
// stored. If an error occurs, `decision.keeping` is Keeping::refused, and `decision.why` is the
// reason. Nothing is written if the store is not open for writing, or if the decision is
// provisional and the request requires firm decisions.
void write_down(store::Store& store, const store::Key& key, const Request& request,
                Decision& decision);

}  // namespace atc::conv
