#include "core/environment.hpp"

#include <array>
#include <cstdlib>
#include <string_view>

#include "core/error.hpp"

namespace atc {

std::optional<std::string> environment_text(const char* name) {
  const char* const value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

std::optional<bool> environment_flag(const char* name) {
  const auto value = environment_text(name);
  if (!value) return std::nullopt;
  if (*value == "0") return false;
  if (*value == "1") return true;
  fail(Status::invalid_argument, "{}={} in the environment: use 0 or 1", name, *value);
}

std::optional<LogLevel> environment_log_level(const char* name) {
  constexpr std::array<std::string_view, 5> kNames = {"off", "error", "warning", "info", "debug"};
  const auto value = environment_text(name);
  if (!value) return std::nullopt;
  for (std::size_t i = 0; i < kNames.size(); ++i)
    if (*value == kNames[i]) return static_cast<LogLevel>(i + 1);
  fail(Status::invalid_argument, "{}={} in the environment: use off, error, warning, info or debug",
       name, *value);
}

}  // namespace atc
