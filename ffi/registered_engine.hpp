// Makes an engine of the core from the callbacks in atc_engine (atc/extend.h).
#pragma once

#include <memory>

#include "atc/extend.h"
#include "engines/engine.hpp"
#include "user_data.hpp"

namespace atc::ffi {

// Returns an engine that calls the callbacks. The struct is copied. The engine, and each
// convolution that the engine has prepared, share the ownership of `user`. Throws
// Error(invalid_argument) if a callback is missing, if the name or the version is malformed, or if
// the device type is unknown.
std::shared_ptr<const Engine> make_registered_engine(const atc_engine& engine,
                                                     std::shared_ptr<const UserData> user);

}  // namespace atc::ffi
