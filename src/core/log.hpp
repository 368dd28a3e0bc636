// The log: single lines, to standard error or to the caller's sink, as text or as JSON. Level and
// format of standard error are those of ATC_LOG (without it, warnings as text) until they are set.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace atc {

// Values equal ATC_LOG_* in include/atc/extend.h.
enum class LogLevel : std::int32_t { off = 1, error = 2, warning = 3, info = 4, debug = 5 };

// Values equal ATC_LOG_FORMAT_*. A JSON line is one object of ASCII characters, with at least the
// strings "time" (RFC 3339, UTC), "level", "event" and "message"; "message" is the text line.
enum class LogFormat : std::int32_t { text = 0, json = 1 };

using LogSink = std::function<void(LogLevel, const std::string&)>;

// Control characters of a line are written as \xNN. The event of these lines is "message".
void log(LogLevel level, const std::string& line) noexcept;
// Logs a line once, because repeated troubles must not flood a training run. After 1024 different
// lines all are forgotten, and may be logged again.
void log_once(LogLevel level, const std::string& line) noexcept;
// Logs a line. Its JSON form also has the members of the object `fields`.
void log_event(LogLevel level, const char* event, const std::string& line,
               const nlohmann::ordered_json& fields) noexcept;

// An empty sink means standard error, whose format set_log_format sets. When the function returns,
// no thread is in the previous sink any more. A sink that called the function would wait for
// itself.
void set_log_sink(LogSink sink, LogFormat format = LogFormat::text);
void set_log_level(LogLevel level);
LogLevel log_level();
void set_log_format(LogFormat format);  // of standard error alone

}  // namespace atc
