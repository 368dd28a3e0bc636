// The log: single lines, to standard error or to the caller's sink. The level is that of ATC_LOG
// (without it, warning) until set_log_level.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace atc {

// Values equal ATC_LOG_* in include/atc/extend.h.
enum class LogLevel : std::int32_t { off = 1, error = 2, warning = 3, info = 4, debug = 5 };

using LogSink = std::function<void(LogLevel, const std::string&)>;

void log(LogLevel level, const std::string& line) noexcept;
// Logs a line once, because repeated troubles must not flood a training run. After 1024 different
// lines all are forgotten, and may be logged again.
void log_once(LogLevel level, const std::string& line) noexcept;

// An empty sink stands for standard error. When the function returns, no thread is in the previous
// sink any more; a sink that called the function would wait for itself.
void set_log_sink(LogSink sink);
void set_log_level(LogLevel level);
LogLevel log_level();

}  // namespace atc
