// The one store that decisions of this process are read from and written to.
#pragma once

#include <memory>

#include "store/store.hpp"

namespace atc::store {

// Null: none. The first call opens what ATC_STORE and ATC_MODE say; an unusable place is one
// warning and no store.
std::shared_ptr<Store> in_use();
// Opens what the environment says now, without using it; null where ATC_STORE is not set. Throws
// Error(invalid_argument) for a malformed ATC_MODE, Error(io) for an unusable place.
std::shared_ptr<Store> open_from_environment();
void use(std::shared_ptr<Store> store);  // null: none; an explicit call outranks the environment

}  // namespace atc::store
