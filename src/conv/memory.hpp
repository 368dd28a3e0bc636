// Decisions measured in this process, shared by all threads.
#pragma once

#include <cstdint>
#include <memory>

#include "conv/decision.hpp"
#include "store/store.hpp"

namespace atc::conv {

std::shared_ptr<const Decision> recall(const store::Key& key);  // null: not measured here
void remember(const store::Key& key, Decision decision);

// Counts the events after which a cached plan may no longer be what a new decision would give:
// something was measured, the store in use or its contents changed, an engine came or went.
std::uint64_t decisions_epoch();
void decisions_changed();

}  // namespace atc::conv
