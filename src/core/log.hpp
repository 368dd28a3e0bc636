// The log: single lines, to standard error or to the caller's sink, as text or as JSON. Until they
// are set, level and format of standard error are those of ATC_LOG, or warnings as text if it is
// not set.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace atc {

// Values equal ATC_LOG_* in include/atc/extend.h.
enum class LogLevel : std::int32_t { off = 1, error = 2, warning = 3, info = 4, debug = 5 };

// The values equal ATC_LOG_FORMAT_*. A JSON line is one object of ASCII characters, with at least
// the strings "time" (RFC 3339, UTC), "level", "event" and "message"; "message" is the line as
// text.
enum class LogFormat : std::int32_t { text = 0, json = 1 };

using LogSink = std::function<void(LogLevel, const std::string&)>;

// Logs a line. Control characters of the line are written as \xNN. The event of the line is
// "message".
void log(LogLevel level, const std::string& line) noexcept;
// Logs a line only once, so that repeated troubles do not flood a training run. After 1024
// different lines all are forgotten, and may be logged again.
void log_once(LogLevel level, const std::string& line) noexcept;
// Logs a line. Its JSON form also has the members of the object `fields`.
void log_event(LogLevel level, const char* event, const std::string& line,
               const nlohmann::ordered_json& fields) noexcept;

// Sets the sink. If it is empty, lines go to standard error, in the format of set_log_format. When
// the function returns, no thread is in the previous sink any more. So a sink must not call this
// function: it would wait for itself.
void set_log_sink(LogSink sink, LogFormat format = LogFormat::text);
void set_log_level(LogLevel level);
LogLevel log_level();
void set_log_format(LogFormat format);  // of standard error alone

}  // namespace atc
