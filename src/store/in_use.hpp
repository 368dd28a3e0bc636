// The one store in which this process reads and writes its decisions.
#pragma once

#include <memory>

#include "store/store.hpp"

namespace atc::store {

// Returns the store in use; null if there is none. The first call opens the store that ATC_STORE
// and ATC_MODE name. If the store cannot be written, it is opened for reading. If it cannot be read
// either, no store is used. In both cases one warning is logged. But if ATC_MODE is replay-only and
// the store cannot be used, or if ATC_MODE is malformed, a store is returned whose function
// trouble() states the fault. With such a store no decision can be made for any problem.
std::shared_ptr<Store> in_use();
// Opens the store that ATC_STORE and ATC_MODE name now. The store in use remains the same. Returns
// null if ATC_STORE is not set. Throws Error(invalid_argument) if ATC_MODE is malformed, and
// Error(io) if the folder cannot be used.
std::shared_ptr<Store> open_from_environment();
// Sets the store in use; null: no store. After this call the environment variables have no effect.
void use(std::shared_ptr<Store> store);

}  // namespace atc::store
