// Stores the correctness gate's results for received decisions (decisions that were measured
// elsewhere) in the user's own store. So a choice is checked by one process, and not again by each
// later process.
#pragma once

#include <optional>
#include <string>

#include "conv/decision.hpp"
#include "conv/options.hpp"
#include "store/store.hpp"

namespace atc::conv {

// Returns the result that is stored with the decision: the reason why its choice is refused, or ""
// if the choice has passed. Returns nothing if no check was made with the request's value of
// strict_precision, or if another version of the gate or the driver made the result. The result for
// an adopted decision (from_other_versions.hpp) must also have been made in this environment.
std::optional<std::string> kept_verdict(const Decision& decision, const Request& request);

// Writes a result ("" or the reason of a refusal) to the entry from which the received decision was
// read. Nothing is written if other users may write the entry. If the entry was written elsewhere
// (store::Entry::elsewhere), it is replaced by an entry of this machine. In the new entry all
// decisions that have not passed a check are marked as received.
void keep_verdict(store::Store& store, const store::Key& key, const Decision& decision,
                  const Request& request, const std::string& refusal);

}  // namespace atc::conv
