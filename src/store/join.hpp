// One order of decisions, by which two values of one key become one. Whoever joins values by it
// gets the same decisions, in whatever order and how often the values arrive: joining is
// commutative, associative and idempotent.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "store/entry.hpp"

namespace atc::store {

// Decisions that a joined value has at most.
constexpr std::size_t kMostJoined = 16;
// The key of an entry, the marks of an import and a seal have room beside a joined value.
constexpr std::size_t kMostJoinedBytes = kMaxEntryBytes - (std::size_t{8} << 10);

// The place of one decision in the order, except for the hash of the whole decision: of two texts
// the smaller one is better. The text has 27 bytes.
std::string place_in_order(const Json& decision);

// Removes the candidates that the decision does not name: all but the winner, the default and the
// choice of captured calls. A decision whose indices fit no list of candidates stays as it is.
void slim(Json& decision);

// The decisions of both values, the best first; of decisions with the same roster only the best.
// Better is, in this order:
//   firm, not provisional
//   the larger roster
//   the smaller risk
//   the smaller hash of choices and roster, then that of the whole decision
// Times are not compared, because they may come from different machines. Marks and compiled parts
// have no influence on the choice; of decisions that differ in nothing else, one that was measured
// here is better than a received one, and one with a verdict or a compiled part better than one
// without.
// A value that would have more than `most_bytes` keeps of each decision only the candidates that it
// names: the winner, the default and the choice of captured calls. The last decisions are left out
// if even that is too large.
Json join(const Json& a, const Json& b, std::size_t most_bytes = kMostJoinedBytes);

}  // namespace atc::store
