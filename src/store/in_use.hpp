// The one store that decisions of this process are read from and written to.
#pragma once

#include <memory>

#include "store/store.hpp"

namespace atc::store {

// Null if there is none. The first call opens the store that ATC_STORE and ATC_MODE name. If that
// cannot be written, logs one warning and opens it for reading; if it cannot be read, logs one
// warning and uses no store. But if it has to be replayed, or ATC_MODE is malformed, the store in
// use is one with trouble(), which has no decision for any problem.
std::shared_ptr<Store> in_use();
// Opens the store that the environment names now, but does not put it to use; null where ATC_STORE
// is not set. Throws Error(invalid_argument) for a malformed ATC_MODE, Error(io) where the folder
// cannot be used.
std::shared_ptr<Store> open_from_environment();
void use(std::shared_ptr<Store> store);  // null: none; an explicit call outranks the environment

}  // namespace atc::store
