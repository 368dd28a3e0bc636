// The store and the allocator that options give for one call.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "atc/extend.h"
#include "atc/store.h"
#include "conv/memory.hpp"
#include "conv/options.hpp"
#include "core/allocator.hpp"

namespace atc::ffi {

// Returns the store of the call. Returns nothing if the call uses the process's store. Throws
// Error(invalid_argument) if `use_store` is not a switch, or if it is off although `store` is
// given.
std::optional<conv::Knowledge> to_knowledge(const atc_store* store, std::int32_t use_store);

// Throws Error(invalid_argument) if the options allow a race no memory at all.
void check_race_memory(const conv::PlanOptions& options);

// Returns a checked copy. Throws Error(invalid_argument) with `name` in its text.
atc_allocator read_allocator(const atc_allocator& allocator, const char* name);
// Returns the allocator of a call's options; null for NULL. Throws Error(invalid_argument).
std::shared_ptr<Allocator> to_allocator(const atc_allocator* allocator);

}  // namespace atc::ffi
