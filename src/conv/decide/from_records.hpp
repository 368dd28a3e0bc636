// Finds decisions for a problem in the store in use and in this process. A decision has a roster:
// the engines and rewrites that were asked for offers. If a request admits others, they are raced
// first.
#pragma once

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

// A decision of a record or of this process whose winner this request can run.
struct Match {
  Decision decision;
  Chain chain;
  // The chain of the choice of captured calls, if that choice can run, too.
  std::optional<Chain> captured;
  // Engines and rewrites that the request admits and that were not asked for the decision.
  Roster newcomers;
};

// Whether a request that tunes races again although there is this decision. This is so if the
// decision is provisional, and the request has more budget than the race of the decision had, or
// asks to measure provisional decisions anew.
bool to_be_raced_again(const Decision& decision, const Request& request);
// Keeps only the decisions that this request may use. Firm decisions are always kept. Provisional
// ones are not kept if the request requires firm ones, or if it will measure them again (which it
// never does in replay-only mode).
Record acceptable(Record record, const Request& request, bool replaying);

// Decisions measured by this process that the request may use. Excluded: incomplete decisions
// (without a comparison, for want of time) and provisional decisions, if the request's budget is
// larger than theirs; narrowed decisions, unless the request is strict. `require_firm` does not
// exclude provisional decisions here: racing again in this process with the same budget would give
// the same result.
Record usable(const Record& measured, const Request& request);
// The same of the process's memory.
Record recalled(const Knowledge& knowledge, const store::Key& key, const Request& request);

// Among the decisions whose winner this request can run, the one with the fewest newcomers (engines
// and rewrites that its roster lacks). If several have equally few, the first one. If the request
// is strict about precision and the winner is imprecise, the fastest precise candidate replaces it.
std::optional<Match> best_match(const Record& record, const Request& request,
                                const Roster& admitted);

// Whether the match is used without a further race. This is so in three cases: it has no newcomers;
// the request measures nothing, and the caller's default engine was asked for the race; the store
// is replay-only (`replaying`).
bool decides(const Match& match, const Request& request, const Entrants& entrants, bool replaying);

// The correctness gate's result for the choice of a recorded decision, as far as it is known
// without a check: the reason why the choice is refused, or "" if it passed or is not checked. Not
// set if it has to be checked.
std::optional<std::string> known_result(const Decision& decision, const Problem& problem,
                                        const Request& request);

// The decisions of the store's entry. Empty if there are none that can be read.
Record recorded(store::Store& store, const store::CanonicalKey& key);
// Tries again to write an entry that could not be written to the disk earlier. Then returns the
// same as recorded().
Record recorded_and_saved(store::Store& store, const store::Key& key);

// Loads the winner's compiled text from its sidecar, unless `compiled` has it already. If the
// sidecar is missing, `compiled` remains empty.
void load_compiled(store::Store& store, const store::Key& key, Decision& decision);

// Builds the decision's choice. If the request's stream is captured, this is the choice of captured
// calls; if building it fails, the eager choice is built. Returns nothing if the eager one fails,
// too. `store` (or null) and `key` say where the decision was recorded.
std::optional<Decided> prepare(Match match, const Problem& problem, const Request& request,
                               store::Store* store, const store::Key& key);

// The reason why the decision of another rank cannot be used here: its choice, or its choice of
// captured calls, cannot be built, or the gate refuses it. "" if it can be used. A decision that
// was not received is only built. Throws Error(device).
std::string refusal_of(const Decision& decision, const Problem& problem, const Request& request);

// The decisions of the nearest records of other sizes (near_records.hpp) that this request may use.
std::vector<Match> matches_of_other_sizes(const std::shared_ptr<store::Store>& store,
                                          const store::Key& key, const Request& request,
                                          const Entrants& entrants);
// The decision of the nearest record of another size (near_records.hpp) that this request may use
// and whose choice can be built at this size. The correctness gate checks the choice at the first
// size of each kind.
std::optional<Decided> from_nearest(const std::shared_ptr<store::Store>& store,
                                    const store::Key& key, const Problem& problem,
                                    const Request& request, const Entrants& entrants);

// Adds the decision to the store's record, which keeps the decisions of other rosters, and sets
// `stored` of the decision. If an error occurs, sets `unwritten` and `why`. A provisional decision
// is not written if the request requires firm ones.
void write_down(store::Store& store, const store::Key& key, const Request& request,
                Decision& decision);

}  // namespace atc::conv
