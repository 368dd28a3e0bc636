// Reads environment variables as typed values. An empty variable counts as unset. If the process
// has more rights than its caller (set-user-ID, set-group-ID, file capabilities), every variable
// counts as unset.
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

const char* name_of(LogLevel level);  // returns "off", "error", …, "debug"

std::optional<std::string> environment_text(const char* name);
// Returns the path in the variable as an absolute path. A relative path is relative to the working
// directory at the time when libatc was loaded, even if the program has changed its directory
// since.
std::optional<std::string> environment_path(const char* name);
// Returns the folders in the variable. They are separated by ':'.
std::optional<std::string> environment_folders(const char* name);
// Makes `path` absolute. A relative path is relative to the working directory at the time when
// libatc was loaded. "" remains "".
std::string from_start_folder(const std::string& path);
// Whether the variable is set for other libraries, which read it by themselves. If the process has
// more rights than its caller, atc ignores the variable, but such a library may read it. So the
// result may be true in such a process, too.
bool is_set_for_libraries(const char* name);
// The following functions throw Error(invalid_argument) if the value is malformed. The text of the
// error states the variable, its value and the valid values.
std::optional<bool> environment_flag(const char* name);        // reads 0 or 1
std::optional<double> environment_positive(const char* name);  // reads a number above 0, or "inf"
// Reads a number of bytes: a whole number above 0, optionally followed by K, M, G or T (powers of
// 1024). "unlimited" is the largest number.
std::optional<std::uint64_t> environment_bytes(const char* name);
// Reads a log level such as "debug", or a log level followed by ",json".
std::optional<LogChoice> environment_log(const char* name);

}  // namespace atc
