// A record: the value of a store's entry for a problem. It has several decisions, one for each
// roster (list of engines and rewrites) that cannot use the decision of another roster. So programs
// with different engines or versions can share a store, and do not replace each other's decisions
// in turn.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "conv/decision.hpp"

namespace atc::conv {

// The decisions. Firm ones come before provisional ones, and newer ones before older ones.
using Record = std::vector<Decision>;

// The largest number of decisions that a record keeps.
constexpr std::size_t kMostDecisions = 4;

// Adds the decision and returns its place in the record, or nothing if the record does not accept
// it. Removes the decisions that the new one makes superfluous: those whose roster the new roster
// contains, and whose users can build the new choice. A provisional decision never removes a firm
// one, and is not added if a firm one makes it superfluous. A narrowed decision removes only
// narrowed ones.
std::optional<std::size_t> add(Record& record, Decision decision);

nlohmann::json to_json(const Record& record);
// Reads a record. A malformed decision is left out, with one warning. Throws Error(bad_record) if
// no decision is left.
Record record_from_json(const nlohmann::json& value);

}  // namespace atc::conv
