// Decisions for a problem, from the store in use or from this process. A decision lists the engines
// and rewrites that were asked: its roster. A request that admits others races them first.
#pragma once

#include <memory>
#include <optional>

#include "conv/decide/decided.hpp"
#include "conv/entrants.hpp"
#include "conv/options.hpp"
#include "conv/record.hpp"
#include "store/store.hpp"

namespace atc::conv {

// A known decision whose winner this request can run.
struct Match {
  Decision decision;
  Chain chain;
  std::optional<Chain> captured;  // for the choice of captured calls, if that can run, too
  Roster newcomers;  // admitted by the request, but not asked for the decision; empty: a hit
};

// Whether a request that tunes races again although there is this decision: if it is provisional,
// and the request has more budget than its race had or asks to measure provisional decisions anew.
bool to_be_raced_again(const Decision& decision, const Request& request);
// Keeps the decisions that this request may use. Firm ones: always. Provisional ones: not if the
// request requires firm ones, and not if it will measure them again (which it never does when
// replaying).
Record acceptable(Record record, const Request& request, bool replaying);

// The decision with the fewest newcomers whose winner this request can run; of equal ones the
// first. Where precision is strict, the fastest precise candidate takes the place of an imprecise
// winner.
std::optional<Match> best_match(const Record& record, const Request& request,
                                const Roster& admitted);

// Whether the match is the answer: it has no newcomers, or the request measures nothing and the
// caller's default engine was asked for the race, or the store is replay-only (`replaying`).
bool decides(const Match& match, const Request& request, const Entrants& entrants, bool replaying);

// The decisions of the store's entry; empty where there are none that can be read.
Record recorded(store::Store& store, const store::CanonicalKey& key);
// The same, after another attempt to write an entry that the disk refused earlier.
Record recorded_and_saved(store::Store& store, const store::Key& key);

// Loads the winner's compiled text from its sidecar, unless `compiled` has it already. If the
// sidecar is missing, `compiled` remains empty.
void load_compiled(store::Store& store, const store::Key& key, Decision& decision);

// Builds the decision's choice. If the request's stream is captured, this is the choice of captured
// calls, or the eager one if that fails. None if the eager one fails, too. `store` (or null) and
// `key`: where the decision was recorded.
std::optional<Decided> prepare(Match match, const Problem& problem, const Request& request,
                               store::Store* store, const store::Key& key);

// The decision of the nearest batch size within a factor of two, from a record that differs from
// the problem in its batch alone.
std::optional<Decided> from_nearest_batch(store::Store& store, const store::Key& key,
                                          const Problem& problem, const Request& request,
                                          const Entrants& entrants);

// Adds the decision to the store's record, beside those of other rosters, and sets its `stored`; on
// an error, its `unwritten` and `why`. A provisional decision is not written if the request
// requires firm ones.
void write_down(store::Store& store, const store::Key& key, const Request& request,
                Decision& decision);

}  // namespace atc::conv
