// Converts the store and the allocator in the options of a call.
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

// Returns the store of the call. Returns nullopt if the call uses the process's store. Throws
// Error(invalid_argument) if `use_store` is not a switch (0, ATC_OFF or ATC_ON), or if `use_store`
// is ATC_OFF but `store` is given.
std::optional<conv::Knowledge> to_knowledge(const atc_store* store, std::int32_t use_store);

// Throws Error(invalid_argument) if the options limit the memory of a race (the timing of
// candidates) to 0 bytes.
void check_race_memory(const conv::PlanOptions& options);

// Returns a copy of the caller's struct. Throws Error(invalid_argument), with `name` in the text,
// if a required callback is null or a field is not valid.
atc_allocator read_allocator(const atc_allocator& allocator, const char* name);
// Returns the allocator of a call's options. Returns null for NULL. Throws Error(invalid_argument)
// if a callback is missing.
std::shared_ptr<Allocator> to_allocator(const atc_allocator* allocator);

}  // namespace atc::ffi
