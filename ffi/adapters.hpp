// Turns the structs of callbacks in atc/extend.h into objects of the C++ core: settings sources,
// allocators and log sinks. The functions of these objects call the callbacks.
#pragma once

#include <memory>

#include "atc/extend.h"
#include "core/allocator.hpp"
#include "core/log.hpp"
#include "core/settings.hpp"
#include "user_data.hpp"

namespace atc::ffi {

// Each returned object shares the ownership of `user`, the user data of the callbacks.
// make_allocator and make_log_sink throw Error(invalid_argument) if a callback is null. `name` is
// the name of the struct in the text of the error. All callbacks of a settings source may be null.
std::shared_ptr<SettingsSource> make_settings_source(const atc_settings_source& callbacks,
                                                     std::shared_ptr<const UserData> user);
std::shared_ptr<Allocator> make_allocator(const atc_allocator& callbacks, const char* name,
                                          std::shared_ptr<const UserData> user);
LogSink make_log_sink(const atc_log_sink& callbacks, std::shared_ptr<const UserData> user);

}  // namespace atc::ffi
