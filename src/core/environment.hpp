// Environment variables as typed values. An empty variable counts as unset. In a process with more
// rights than its caller (set-user-ID, set-group-ID, file capabilities), every variable counts as
// unset.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/log.hpp"

namespace atc {

struct LogChoice {
  LogLevel level;
  LogFormat format;
};

const char* name_of(LogLevel level);  // off … debug

std::optional<std::string> environment_text(const char* name);
// Returns an absolute path. A relative path in the variable is completed with the folder in which
// the process was when libatc was loaded, even if the program has changed its folder since.
std::optional<std::string> environment_path(const char* name);
std::optional<std::string> environment_folders(const char* name);  // several, separated by ':'
std::string from_start_folder(const std::string& path);  // the same for a path at hand; "": ""
// Whether the variable is set for libraries that read it themselves. Such libraries read it in any
// process, so this also returns true in a process with more rights than its caller.
bool is_set_for_libraries(const char* name);
// All throw Error(invalid_argument), which names the variable, its value and the valid values.
std::optional<bool> environment_flag(const char* name);        // 0 or 1
std::optional<double> environment_positive(const char* name);  // a number above 0, or inf
// A whole number of bytes above 0, also with K, M, G or T behind it (powers of 1024), or
// "unlimited", which is the largest number.
std::optional<std::uint64_t> environment_bytes(const char* name);
std::optional<LogChoice> environment_log(const char* name);  // a level, also with ",json"

}  // namespace atc
