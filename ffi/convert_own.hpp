// The store and the allocator that options give to a call alone.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "atc/extend.h"
#include "atc/store.h"
#include "conv/memory.hpp"
#include "core/allocator.hpp"

namespace atc::ffi {

// Absent: the call uses the process's store. Throws Error(invalid_argument) if `use_store` is not a
// switch, or if it is off although there is a store.
std::optional<conv::Knowledge> to_knowledge(const atc_store* store, std::int32_t use_store);

// A checked copy. Throws Error(invalid_argument), naming `name`.
atc_allocator read_allocator(const atc_allocator& allocator, const char* name);
// That of options; null for NULL. Throws Error(invalid_argument).
std::shared_ptr<Allocator> to_allocator(const atc_allocator* allocator);

}  // namespace atc::ffi
