#include "core/environment.hpp"

#include <array>
#include <cstdlib>
#include <string_view>

#include "core/error.hpp"
#include "core/text.hpp"

namespace atc {

namespace {

// In the order of LogLevel.
constexpr std::array<std::string_view, 5> kLevelNames = {"off", "error", "warning", "info",
                                                         "debug"};

}  // namespace

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

const char* name_of(LogLevel level) {
  return kLevelNames[static_cast<std::size_t>(level) - 1].data();
}

std::optional<LogChoice> environment_log(const char* name) {
  constexpr std::string_view kJson = ",json";
  const auto value = environment_text(name);
  if (!value) return std::nullopt;
  std::string_view level = *value;
  LogFormat format = LogFormat::text;
  if (ends_with(level, kJson)) {
    level.remove_suffix(kJson.size());
    format = LogFormat::json;
  }
  for (std::size_t i = 0; i < kLevelNames.size(); ++i)
    if (level == kLevelNames[i]) return LogChoice{static_cast<LogLevel>(i + 1), format};
  fail(Status::invalid_argument,
       "{}={} in the environment: use off, error, warning, info or debug, and add ,json for lines "
       "of JSON",
       name, *value);
}

}  // namespace atc
