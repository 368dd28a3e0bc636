// The value of a store's entry for a problem: one decision for each roster that cannot use the
// decision of another roster. So programs with different engines or versions share a store without
// replacing each other's decisions in turn.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "conv/decision.hpp"

namespace atc::conv {

// Firm decisions before provisional ones, each the newest first.
using Record = std::vector<Decision>;

// Decisions that a record keeps at most.
constexpr std::size_t kMostDecisions = 4;

// Adds the decision, and returns its place in the record; none if the record does not take it.
// Removes decisions that it makes superfluous: those whose roster the new roster covers and whose
// users can build the new choice. A provisional decision removes no firm one, and is not added if a
// firm one makes it superfluous. A narrowed decision makes only narrowed ones superfluous.
std::optional<std::size_t> add(Record& record, Decision decision);

nlohmann::json to_json(const Record& record);
// A malformed decision is left out with one warning. Throws Error(bad_record) if none is left.
Record record_from_json(const nlohmann::json& value);

}  // namespace atc::conv
