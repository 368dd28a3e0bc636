// Decisions measured in this process, shared by all threads.
#pragma once

#include <cstdint>
#include <memory>

#include "conv/record.hpp"

namespace atc::store {
struct Key;
}

namespace atc::conv {

Record recall(const store::Key& key);  // empty: not measured here
// Adds the decision beside those of other rosters.
void remember(const store::Key& key, Decision decision);

// Counts the events after which a cached plan may no longer be what a new decision would give:
// something was measured, the store in use or its contents changed, an engine came or went.
std::uint64_t decisions_epoch();
void decisions_changed();

}  // namespace atc::conv
