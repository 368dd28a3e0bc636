// Joins two values of one key into one value, by a fixed order of decisions. A decision is the
// result of comparing engines for a problem; its roster is the set of engines that were compared.
// Joining is commutative, associative and idempotent. So all machines that join the same values get
// the same result, whatever the order and number of the values.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "store/entry.hpp"

namespace atc::store {

// The largest number of decisions in a joined value.
constexpr std::size_t kMostJoined = 16;
// The largest number of bytes of a joined value. The rest of kMaxEntryBytes is for the entry's key,
// for the marks that an import adds, and for the seal.
constexpr std::size_t kMostJoinedBytes = kMaxEntryBytes - (std::size_t{8} << 10);

// Returns a text of 27 bytes by which decisions are ordered: the decision with the smaller text is
// better. If the texts are equal, the hash of the whole decision is compared.
std::string place_in_order(const Json& decision);

// Removes all candidates from the decision except the winner, the default and the choice for
// captured calls. Does nothing if "winner" or "default" is no index in the decision's list of
// candidates.
void slim(Json& decision);

// Returns a value with the decisions of both values, the best one first. If several decisions have
// the same roster, only the best of them is kept. A decision is better than another one by the
// first of these criteria in which they differ:
// - it is firm, not provisional;
// - it has the larger roster;
// - it has the smaller risk;
// - it has the smaller hash of choices and roster;
// - it has the smaller hash of the whole decision.
// Times are not compared, because they may have been measured on different machines. The marks of
// origin and the compiled parts are not part of these hashes. If two decisions differ only in these
// marks and compiled parts, a decision that was measured here is better than a received one, a
// decision with a result of the gate (kChecked) is better than one without, and then a decision
// with a compiled part is better than one without. If the value would have more than `most_bytes`,
// only the winner, the default and the choice for captured calls are kept in each decision's list
// of candidates. If the value is still too large, decisions are left out, the worst first.
Json join(const Json& a, const Json& b, std::size_t most_bytes = kMostJoinedBytes);

}  // namespace atc::store
