// Keeps the correctness gate's results for received decisions in the user's own store. So one
// process pays for a check, and not each process again.
#pragma once

#include <optional>
#include <string>

#include "conv/decision.hpp"
#include "conv/options.hpp"
#include "store/store.hpp"

namespace atc::conv {

// The result that was stored with the decision: the reason why its choice is refused, or "" if it
// passed. Empty if there is no result for this request's precision, or if another version of the
// gate or the driver made it.
std::optional<std::string> kept_verdict(const Decision& decision, const Request& request);

// Writes a result ("" or the reason of a refusal) to the entry that the received decision was read
// from, unless others may have written the entry. If the entry was written elsewhere
// (store::Entry::elsewhere), it becomes this machine's own, and its other decisions are marked as
// received.
void keep_verdict(store::Store& store, const store::Key& key, const Decision& decision,
                  const Request& request, const std::string& refusal);

}  // namespace atc::conv
