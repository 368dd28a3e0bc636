#include "core/log.hpp"

#include <atomic>
#include <cstdio>
#include <mutex>
#include <shared_mutex>
#include <unordered_set>
#include <utility>

#include "core/environment.hpp"
#include "core/error.hpp"

namespace atc {

namespace {

// Lines that log_once remembers. When full, it forgets all of them, so that memory stays bounded
// and new lines are still logged.
constexpr std::size_t kMostRemembered = 1024;

struct Log {
  // Held shared while a sink runs and exclusively while it is replaced: afterwards no thread is in
  // the old sink any more.
  std::shared_mutex sink_mutex;
  LogSink sink;
  std::mutex once_mutex;
  std::unordered_set<std::string> once;
  std::atomic<std::int32_t> level{static_cast<std::int32_t>(LogLevel::warning)};
  std::once_flag environment_read;
};

Log& state() {
  static Log* const log = new Log;  // never destroyed: threads may log during exit
  return *log;
}

void write(LogLevel level, const std::string& line) {
  Log& log = state();
  const std::shared_lock lock(log.sink_mutex);
  if (log.sink) {
    log.sink(level, line);
  } else {
    const std::string text = "atc: " + line + '\n';
    std::fwrite(text.data(), 1, text.size(), stderr);  // one call: lines of threads do not mix
  }
}

bool passes(LogLevel level) {
  return level != LogLevel::off &&
         static_cast<std::int32_t>(level) <= static_cast<std::int32_t>(log_level());
}

// Sets the level to that of ATC_LOG. Runs before the level is first used, so that a call of
// set_log_level always overrides the variable.
void read_environment_once() {
  Log& log = state();
  std::string trouble;
  std::call_once(log.environment_read, [&] {
    try {
      if (const auto level = environment_log_level("ATC_LOG"))
        log.level = static_cast<std::int32_t>(*level);
    } catch (const Error& error) {
      trouble = std::string("ignored: ") + error.what();
    }
  });
  // Afterwards, because the sink may ask for the level.
  if (!trouble.empty()) write(LogLevel::warning, trouble);
}

}  // namespace

void log(LogLevel level, const std::string& line) noexcept {
  try {
    if (passes(level)) write(level, line);
  } catch (...) {  // the operation that logs must not fail because its line cannot be written
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

void set_log_sink(LogSink sink) {
  {
    const std::unique_lock lock(state().sink_mutex);
    state().sink.swap(sink);
  }  // the previous sink is destroyed outside the lock
}

void set_log_level(LogLevel level) {
  read_environment_once();
  state().level = static_cast<std::int32_t>(level);
}

LogLevel log_level() {
  read_environment_once();
  return static_cast<LogLevel>(state().level.load(std::memory_order_relaxed));
}

}  // namespace atc
