// Collects the lines that atc logs while an object exists.
#pragma once

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

#include "atc/atc.h"
#include "status.hpp"

namespace atc_test {

// A mutex protects the lines, because threads of atc log lines, too.
class LogLines {
 public:
  LogLines() {
    atc_log_sink sink = ATC_LOG_SINK_INIT;
    sink.user = this;
    sink.write = [](void* user, std::int32_t, const char* line) {
      auto& log = *static_cast<LogLines*>(user);
      const std::lock_guard lock(log.mutex_);
      log.lines_.emplace_back(line);
    };
    EXPECT_DONE(atc_log_sink_set(&sink));
  }
  ~LogLines() { EXPECT_DONE(atc_log_sink_set(nullptr)); }
  LogLines(const LogLines&) = delete;
  LogLines& operator=(const LogLines&) = delete;

  // Returns the number of lines that contain both texts.
  std::ptrdiff_t count(const std::string& part, const std::string& other = "") {
    const std::lock_guard lock(mutex_);
    return std::count_if(lines_.begin(), lines_.end(), [&](const std::string& line) {
      return line.find(part) != std::string::npos && line.find(other) != std::string::npos;
    });
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> lines_;
};

}  // namespace atc_test
