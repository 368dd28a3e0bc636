// Implements the core's extension points by the callbacks in the structs of extend.h.
#pragma once

#include <memory>

#include "atc/extend.h"
#include "core/allocator.hpp"
#include "core/settings.hpp"

namespace atc::ffi {

std::shared_ptr<SettingsSource> make_settings_source(const atc_settings_source& callbacks);
// Throws Error(invalid_argument) for a missing callback.
std::shared_ptr<Allocator> make_allocator(const atc_allocator& callbacks);

}  // namespace atc::ffi
