// Reads the store, the memory limit and the allocator from the options of a call.
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

// Returns the knowledge (a store of decisions, or none) that the options of a call prescribe.
// Returns nullopt if the options prescribe nothing, so that the call uses the store of the process.
// Throws Error(invalid_argument) if `use_store` is not a switch (0, ATC_OFF or ATC_ON), or if
// `use_store` is ATC_OFF but `store` is given.
std::optional<conv::Knowledge> to_knowledge(const atc_store* store, std::int32_t use_store);

// Throws Error(invalid_argument) if the options allow 0 bytes of memory for a race (the timing of
// candidates), because a race needs memory.
void check_race_memory(const conv::PlanOptions& options);

// Returns a copy of the caller's struct. Throws Error(invalid_argument), with `name` in the text,
// if the device type or the struct_size is not valid. The callbacks are not checked here.
atc_allocator read_allocator(const atc_allocator& allocator, const char* name);
// Returns the allocator of a call's options. Returns null for NULL. Throws Error(invalid_argument)
// if `alloc` or `free` is missing, or if `destroy` is set.
std::shared_ptr<Allocator> to_allocator(const atc_allocator* allocator);

}  // namespace atc::ffi
