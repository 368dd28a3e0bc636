// What an entry of a store says of a problem: one decision for each roster that cannot make do with
// another's, so that programs with other engines or versions share a store without racing anew at
// every turn.
#pragma once

#include <vector>

#include "conv/decision.hpp"

namespace atc::conv {

// Firm decisions before provisional ones, each the newest first.
using Record = std::vector<Decision>;

// Decisions that a record keeps at most.
constexpr std::size_t kMostDecisions = 4;

// Adds the decision and tells whether it did. Those that it makes superfluous go: each whose users
// can build what is chosen now, and were asked for it. A provisional decision makes no firm one
// superfluous, but the other way round: where its users have a firm one already it is not added.
bool add(Record& record, Decision decision);

store::Json to_json(const Record& record);
// A malformed decision is left out with one warning; throws Error(bad_record) where none is left.
Record record_from_json(const store::Json& value);

}  // namespace atc::conv
