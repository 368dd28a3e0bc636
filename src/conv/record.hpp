// A record: the value of a store's entry for one problem. A record has several decisions with
// different rosters (a roster is the list of the engines and rewrites that were asked for
// candidates). So programs with different engines or versions can share a store, and do not replace
// each other's decisions in turn.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "conv/decision.hpp"

namespace atc::conv {

// The decisions of a record. Firm decisions come before provisional ones. Within both groups newer
// decisions come before older ones.
using Record = std::vector<Decision>;

// The largest number of decisions in a record.
constexpr std::size_t kMostDecisions = 4;

// Adds the decision and returns its index in the record. Returns nothing if the decision is not
// added. An earlier decision is superfluous if its roster is contained in the new roster, and if
// programs with the earlier roster can build the new choice. Superfluous decisions are removed,
// with two exceptions: a provisional decision removes no firm one, and a narrowed decision (whose
// winner strict_precision has replaced) removes only narrowed ones. A provisional decision is not
// added if a firm decision makes it superfluous.
std::optional<std::size_t> add(Record& record, Decision decision);

nlohmann::json to_json(const Record& record);
// Reads a record. A malformed decision is left out, and one warning is logged. Throws
// Error(bad_record) if no decision remains.
Record record_from_json(const nlohmann::json& value);

}  // namespace atc::conv
