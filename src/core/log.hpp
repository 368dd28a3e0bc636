// The log. Lines are written to standard error or passed to the caller's sink, as text or as JSON.
// Level and format can be set by calls. If no call has set them, the environment variable ATC_LOG
// is used. If this variable is not set, warnings and errors are logged as text.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace atc {

// The values equal ATC_LOG_* in include/atc/extend.h.
enum class LogLevel : std::int32_t { off = 1, error = 2, warning = 3, info = 4, debug = 5 };

// The values equal ATC_LOG_FORMAT_*. A JSON line is one object of ASCII characters. It has at least
// the strings "time" (RFC 3339, UTC), "level", "event" and "message". "message" is the line as
// text.
enum class LogFormat : std::int32_t { text = 0, json = 1 };

using LogSink = std::function<void(LogLevel, const std::string&)>;

// Logs a line with the event "message". Control characters in the line are written as \xNN.
void log(LogLevel level, const std::string& line) noexcept;
// Logs a line only if this function has not logged the same line before. So repeated faults do not
// flood the log of a training run. After 1024 different lines the function forgets them all, so
// that they may be logged again.
void log_once(LogLevel level, const std::string& line) noexcept;
// Logs a line with this event. If the format is JSON, the members of the object `fields` are added.
void log_event(LogLevel level, const char* event, const std::string& line,
               const nlohmann::ordered_json& fields) noexcept;

// Sets the sink (the caller's function that gets the log lines). If `sink` is empty, lines are
// written to standard error, in the format of set_log_format. When this function returns, no thread
// is running the previous sink. A sink must not call this function, because the call would wait for
// the sink itself.
void set_log_sink(LogSink sink, LogFormat format = LogFormat::text);
void set_log_level(LogLevel level);
LogLevel log_level();
// Sets the format of the lines on standard error. Lines that go to a sink have the format that was
// passed to set_log_sink.
void set_log_format(LogFormat format);

}  // namespace atc
