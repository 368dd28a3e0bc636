#include "core/log.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <mutex>
#include <shared_mutex>
#include <unordered_set>
#include <utility>

#include "core/environment.hpp"
#include "core/error.hpp"
#include "core/format.hpp"
#include "core/json.hpp"
#include "core/printable.hpp"

namespace atc {

namespace {

// The number of lines that log_once remembers. If there are more, it forgets all of them. So its
// memory is limited, and new lines are still logged once.
constexpr std::size_t kMostRemembered = 1024;

struct Log {
  // The mutex is held shared while the sink runs, and exclusively while the sink is replaced. So
  // once the sink has been replaced, no thread is running the old sink.
  std::shared_mutex sink_mutex;
  LogSink sink;
  LogFormat sink_format = LogFormat::text;
  std::mutex once_mutex;
  std::unordered_set<std::string> once;
  std::atomic<std::int32_t> level{static_cast<std::int32_t>(LogLevel::warning)};
  std::atomic<LogFormat> format{LogFormat::text};  // the format of log lines on standard error
  std::once_flag environment_read;
};

Log& state() {
  // This static object is never destroyed, because threads may log while the process exits.
  static Log* const log = new Log;
  return *log;
}

// A log line before it is formatted.
struct Event {
  const char* name;
  const std::string& line;
  // The additional fields of a JSON line. Null: there are none.
  const nlohmann::ordered_json* fields;
};

// Returns the current time in the form of RFC 3339, for example "2026-01-31T12:00:00.123456Z".
std::string now() {
  using std::chrono::microseconds;
  const auto since =
      std::chrono::duration_cast<microseconds>(std::chrono::system_clock::now().time_since_epoch())
          .count();
  const auto seconds = static_cast<std::time_t>(since / 1'000'000);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, sizeof("2026-01-31T12:00:00")> text{};
  std::strftime(text.data(), text.size(), "%FT%T", &parts);
  return format("{}.{:06}Z", text.data(), since % 1'000'000);
}

std::string as_json(LogLevel level, const Event& event) {
  using Json = nlohmann::ordered_json;
  Json object;
  object["time"] = now();
  object["level"] = name_of(level);
  object["event"] = event.name;
  object["message"] = event.line;
  if (event.fields != nullptr) object.update(*event.fields);
  // Bytes that are not UTF-8 are replaced, because texts of libraries and files may contain them.
  return object.dump(-1, ' ', true, Json::error_handler_t::replace);
}

std::string rendered(LogLevel level, const Event& event, LogFormat format) {
  return format == LogFormat::json ? as_json(level, event) : printable(event.line);
}

void write(LogLevel level, const Event& event) {
  Log& log = state();
  const std::shared_lock lock(log.sink_mutex);
  if (log.sink) {
    log.sink(level, rendered(level, event, log.sink_format));
    return;
  }
  const LogFormat format = log.format;
  const char* const prefix = format == LogFormat::json ? "" : "atc: ";
  const std::string text = prefix + rendered(level, event, format) + '\n';
  // The line is written by a single call, so that lines of several threads do not mix.
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void write(LogLevel level, const std::string& line) { write(level, {"message", line, nullptr}); }

bool passes(LogLevel level) {
  return level != LogLevel::off &&
         static_cast<std::int32_t>(level) <= static_cast<std::int32_t>(log_level());
}

// Sets level and format from the environment variable ATC_LOG. This happens before level and format
// are first used or set. So a call that sets one of them always has priority over the variable.
void read_environment_once() {
  Log& log = state();
  std::string trouble;
  std::call_once(log.environment_read, [&] {
    try {
      if (const auto asked = environment_log("ATC_LOG")) {
        log.level = static_cast<std::int32_t>(asked->level);
        log.format = asked->format;
      }
    } catch (const Error& error) {
      trouble = std::string("ignored: ") + error.what();
    }
  });
  // The warning is written after the level is set, because the sink may call log_level().
  if (!trouble.empty()) write(LogLevel::warning, trouble);
}

}  // namespace

void log(LogLevel level, const std::string& line) noexcept {
  try {
    if (passes(level)) write(level, line);
  } catch (...) {  // if a log line cannot be written, the operation that logs it must not fail
  }
}

void log_once(LogLevel level, const std::string& line) noexcept {
  try {
    if (!passes(level)) return;
    {
      Log& known = state();
      const std::lock_guard lock(known.once_mutex);
      if (known.once.size() >= kMostRemembered) known.once.clear();
      if (!known.once.insert(line).second) return;
    }
    write(level, line);
  } catch (...) {
  }
}

void log_event(LogLevel level, const char* event, const std::string& line,
               const nlohmann::ordered_json& fields) noexcept {
  try {
    if (passes(level)) write(level, {event, line, &fields});
  } catch (...) {
  }
}

void set_log_sink(LogSink sink, LogFormat format) {
  {
    const std::unique_lock lock(state().sink_mutex);
    state().sink.swap(sink);
    state().sink_format = format;
  }  // the previous sink is destroyed after the lock is released
}

void set_log_level(LogLevel level) {
  read_environment_once();
  state().level = static_cast<std::int32_t>(level);
}

LogLevel log_level() {
  read_environment_once();
  return static_cast<LogLevel>(state().level.load(std::memory_order_relaxed));
}

void set_log_format(LogFormat format) {
  read_environment_once();
  state().format = format;
}

}  // namespace atc
