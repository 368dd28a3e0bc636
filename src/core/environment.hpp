// Environment variables as typed values. Unset and empty are the same.
#pragma once

#include <optional>
#include <string>

#include "core/log.hpp"

namespace atc {

std::optional<std::string> environment_text(const char* name);
// Each throws Error(invalid_argument) that names the variable, its value and what it may be.
std::optional<bool> environment_flag(const char* name);           // 0 or 1
std::optional<LogLevel> environment_log_level(const char* name);  // off … debug

}  // namespace atc
