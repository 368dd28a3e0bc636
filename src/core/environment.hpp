// Environment variables as typed values. An empty variable counts as unset.
#pragma once

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
// Both throw Error(invalid_argument), which names the variable, its value and the valid values.
std::optional<bool> environment_flag(const char* name);      // 0 or 1
std::optional<LogChoice> environment_log(const char* name);  // a level, also with ",json"

}  // namespace atc
