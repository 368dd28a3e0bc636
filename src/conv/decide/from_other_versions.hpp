// Adopts records of other versions: decisions about the same problem that were measured on the same
// device model, but with other versions of the default engines. A default engine is a library that
// runs convolutions without tuning: cuDNN, oneDNN, or the program's own (LibTorch). Until the
// problem has a usable record of its own, such a decision may be used if each part of its choice
// (engine and rewrites) exists here in the recorded version. atc's own kernels usually do.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "conv/decide/from_records.hpp"
#include "store/entry.hpp"

namespace atc::conv {

// Whether the request may use records of other versions from this store. `store` may be null.
// Throws Error(invalid_argument) if the request itself asks for such records and the store is
// replay-only: a replay-only store promises that only choices run that were recorded with the
// versions in use.
bool adopts(const Request& request, const std::shared_ptr<store::Store>& store);

struct Adopted {
  Match match;
  store::Key key;  // the key of the entry that has the decision
};

// Returns the decisions of other versions that the request can use, whether or not adopts() is
// true. They are in the order of decisions (store/join.hpp): times of different versions are not
// compared. A decision is left out if no version of the caller's default engine took part in its
// race. The decisions have the source Source::adopted and count as received, so their choices are
// checked before they run. For a request that does not tune, decisions in the entry of `key` itself
// are included if another version of the default engine took part in their race.
std::vector<Adopted> decisions_of_other_versions(store::Store& store, const store::Key& key,
                                                 const Request& request, const Entrants& entrants);

// Returns the first of these decisions whose choice can be built and passes the correctness gate.
// The result of the gate is kept in the entry of the decision (kept_verdict.hpp), so that later
// processes need not check the choice.
std::optional<Decided> from_other_versions(store::Store& store, const store::Key& key,
                                           const Problem& problem, const Request& request,
                                           const Entrants& entrants);

}  // namespace atc::conv
