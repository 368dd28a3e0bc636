// One line at a time, and repeated ones once.
#include "core/log.hpp"

#include <gmock/gmock.h>

#include <stdexcept>
#include <vector>

namespace atc {
namespace {

class LogTest : public testing::Test {
 protected:
  void SetUp() override {
    set_log_level(LogLevel::warning);
    set_log_sink([this](LogLevel level, const std::string& line) {
      lines_.push_back(std::to_string(static_cast<int>(level)) + line);
    });
  }
  void TearDown() override {
    set_log_sink({});
    set_log_level(LogLevel::warning);
  }
  std::vector<std::string> lines_;
};

TEST_F(LogTest, LinesUpToTheLevelPass) {
  for (const LogLevel level :
       {LogLevel::off, LogLevel::error, LogLevel::warning, LogLevel::info, LogLevel::debug})
    log(level, "line");
  EXPECT_THAT(lines_, testing::ElementsAre("2line", "3line"));
  set_log_level(LogLevel::off);
  log(LogLevel::error, "unheard");
  EXPECT_EQ(lines_.size(), 2U);
}

TEST_F(LogTest, OnceIsOnceAndWhatDidNotPassDoesNotCount) {
  log_once(LogLevel::info, "not yet");
  set_log_level(LogLevel::info);
  log_once(LogLevel::info, "not yet");
  log_once(LogLevel::info, "not yet");
  EXPECT_THAT(lines_, testing::ElementsAre("4not yet"));
}

// What is remembered is bounded: after enough other lines one comes again, instead of memory
// growing.
TEST_F(LogTest, MemoryOfLinesIsBounded) {
  log_once(LogLevel::error, "first");
  int repeats = 0;
  for (int i = 0; i < 2048; ++i) {
    log_once(LogLevel::error, "other " + std::to_string(i));
    lines_.clear();
    log_once(LogLevel::error, "first");
    repeats += lines_.empty() ? 0 : 1;
  }
  EXPECT_GE(repeats, 1);
  EXPECT_LE(repeats, 3);
}

TEST_F(LogTest, ASinkThatThrowsHurtsNobody) {
  set_log_sink([](LogLevel, const std::string&) { throw std::runtime_error("full"); });
  log(LogLevel::error, "line");
  log_once(LogLevel::error, "thrown at");
  set_log_sink({});
}

}  // namespace
}  // namespace atc
