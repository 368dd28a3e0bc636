// Makes objects of the core (settings source, allocator, log sink) from the structs of callbacks in
// atc/extend.h. The objects call the callbacks.
#pragma once

#include <memory>

#include "atc/extend.h"
#include "core/allocator.hpp"
#include "core/log.hpp"
#include "core/settings.hpp"
#include "user_data.hpp"

namespace atc::ffi {

// Each returned object shares the ownership of `user`, the user data of the callbacks. Throws
// Error(invalid_argument) if a required callback is null. The text of the error calls the struct
// `name`. A settings source has no required callback.
std::shared_ptr<SettingsSource> make_settings_source(const atc_settings_source& callbacks,
                                                     std::shared_ptr<const UserData> user);
std::shared_ptr<Allocator> make_allocator(const atc_allocator& callbacks, const char* name,
                                          std::shared_ptr<const UserData> user);
LogSink make_log_sink(const atc_log_sink& callbacks, std::shared_ptr<const UserData> user);

}  // namespace atc::ffi
