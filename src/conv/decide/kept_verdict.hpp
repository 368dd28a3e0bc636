// The gate's results for received decisions, kept in the user's own store, so that one process pays
// for a check and not each process again.
#pragma once

#include <optional>
#include <string>

#include "conv/decision.hpp"
#include "conv/options.hpp"
#include "store/store.hpp"

namespace atc::conv {

// The result that the decision was read with, "" or why its choice is refused. None if there is
// none for this request's precision, or if another gate or driver made it.
std::optional<std::string> kept_verdict(const Decision& decision, const Request& request);

// Writes a result ("" or a refusal) to the entry that the received decision was read from, unless
// others may have written the entry. An entry that was written elsewhere (store::Entry::elsewhere)
// becomes this machine's own: its other decisions are marked as received.
void keep_verdict(store::Store& store, const store::Key& key, const Decision& decision,
                  const Request& request, const std::string& refusal);

}  // namespace atc::conv
