// The one store that decisions of this process are read from and written to.
#pragma once

#include <memory>

#include "store/store.hpp"

namespace atc::store {

// Returns the store in use; null if there is none. The first call opens the store that ATC_STORE
// and ATC_MODE name. If the store cannot be written, it is opened for reading, with one warning. If
// it cannot be read either, no store is used, with one warning. There are two exceptions: if the
// mode is replay-only, or if ATC_MODE is malformed, the result is a store with trouble(), which has
// no decision for any problem.
std::shared_ptr<Store> in_use();
// Opens the store that the environment names now, but does not make it the store in use. Returns
// null if ATC_STORE is not set. Throws Error(invalid_argument) for a malformed ATC_MODE, and
// Error(io) if the folder cannot be used.
std::shared_ptr<Store> open_from_environment();
void use(std::shared_ptr<Store> store);  // null: no store. The call outranks the environment

}  // namespace atc::store
