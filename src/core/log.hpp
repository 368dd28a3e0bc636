// One line at a time, to standard error or to the caller's sink. The level is ATC_LOG's until it is
// set.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace atc {

// Values equal ATC_LOG_* in include/atc/extend.h.
enum class LogLevel : std::int32_t { off = 1, error = 2, warning = 3, info = 4, debug = 5 };

using LogSink = std::function<void(LogLevel, const std::string&)>;

void log(LogLevel level, const std::string& line) noexcept;
// Logs a line once per process: repeated troubles must not flood a training run.
void log_once(LogLevel level, const std::string& line) noexcept;

// Empty: standard error. When it returns, the sink before is not being called any more; a sink must
// not call it.
void set_log_sink(LogSink sink);
void set_log_level(LogLevel level);
LogLevel log_level();

}  // namespace atc
