// An engine made of the callbacks in atc_engine of extend.h.
#pragma once

#include <memory>

#include "atc/extend.h"
#include "engines/engine.hpp"
#include "user_data.hpp"

namespace atc::ffi {

// Copies the struct. The engine and the objects that it prepares share `user`. Throws
// Error(invalid_argument) for a missing callback, a malformed name or version, or an unknown device
// type.
std::shared_ptr<const Engine> make_registered_engine(const atc_engine& engine,
                                                     std::shared_ptr<const UserData> user);

}  // namespace atc::ffi
