// Tests that a log line is written as a whole, as text or as JSON, and that log_once writes an
// equal line only once.
#include "core/log.hpp"

#include <gmock/gmock.h>

#include <stdexcept>
#include <vector>

#include "core/json.hpp"

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
  // Each run logs another text, because log_once logs a text only once in a process.
  static int runs = 0;
  const std::string line = "not yet in run " + std::to_string(++runs);
  log_once(LogLevel::info, line);
  set_log_level(LogLevel::info);
  log_once(LogLevel::info, line);
  log_once(LogLevel::info, line);
  EXPECT_THAT(lines_, testing::ElementsAre("4" + line));
}

// log_once remembers only a limited number of lines. After enough other lines it has forgotten an
// earlier line, and writes it again.
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

// Log lines contain names of engines, paths, and errors from libraries and files. So their text may
// be hostile.
const std::string kHostile =
    "</script>\"quoted\"\n{\"level\": \"off\"}\r\t\x7f\\ \xe2\x80\xae\xc3\xbc \xff";

class JsonLogTest : public LogTest {
 protected:
  void SetUp() override {
    LogTest::SetUp();
    set_log_sink([this](LogLevel, const std::string& line) { lines_.push_back(line); },
                 LogFormat::json);
  }
};

TEST_F(JsonLogTest, ALineIsOneObjectWithTimeLevelAndEvent) {
  log(LogLevel::warning, "a line");
  ASSERT_EQ(lines_.size(), 1U);
  const auto object = nlohmann::json::parse(lines_[0]);
  EXPECT_EQ(object.size(), 4U);
  EXPECT_EQ(object["level"], "warning");
  EXPECT_EQ(object["event"], "message");
  EXPECT_EQ(object["message"], "a line");
  EXPECT_THAT(
      object["time"].get<std::string>(),
      testing::MatchesRegex("20[0-9]{2}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9]"
                            "\\.[0-9]{6}Z"));
}

TEST_F(JsonLogTest, AnEventHasItsFields) {
  log_event(LogLevel::info, "unheard", "not at this level", nlohmann::ordered_json::object());
  log_event(LogLevel::error, "test", "of fields", {{"number", 1.5}, {"nothing", nullptr}});
  ASSERT_EQ(lines_.size(), 1U);
  const auto object = nlohmann::json::parse(lines_[0]);
  EXPECT_EQ(object["event"], "test");
  EXPECT_EQ(object["number"], 1.5);
  EXPECT_TRUE(object.at("nothing").is_null());
}

TEST_F(JsonLogTest, HostileTextIsOneAsciiLineAndComesBack) {
  log_event(LogLevel::error, "test", kHostile, {{"choice", kHostile}});
  ASSERT_EQ(lines_.size(), 1U);
  for (const char c : lines_[0]) EXPECT_TRUE(c >= 0x20 && c < 0x7f) << static_cast<int>(c);
  std::string readable = kHostile;
  // In the JSON, the byte that is not UTF-8 must be replaced by U+FFFD.
  readable.replace(readable.size() - 1, 1, "\xef\xbf\xbd");
  const auto object = nlohmann::json::parse(lines_[0]);
  EXPECT_EQ(object["message"], readable);
  EXPECT_EQ(object["choice"], readable);
  EXPECT_EQ(object["level"], "error");
}

TEST_F(LogTest, ASinkGetsTextUnlessItAsksForJson) {
  // the log format is used for lines on standard error only, and not for lines that a sink gets
  set_log_format(LogFormat::json);
  log_event(LogLevel::error, "test", "line", {{"number", 1}});
  set_log_format(LogFormat::text);
  EXPECT_THAT(lines_, testing::ElementsAre("2line"));
}

TEST_F(LogTest, ATextLineHasNoControlCharacters) {
  log(LogLevel::error, "two\nlines\x1b[2J\x7f, one \xc3\xbc");
  EXPECT_THAT(lines_, testing::ElementsAre("2two\\x0alines\\x1b[2J\\x7f, one \xc3\xbc"));
  // U+009B begins a terminal's control sequences. It must be escaped in UTF-8, and as a single byte
  // 9B. A byte 9B within the UTF-8 form of another character must not be escaped.
  lines_.clear();
  log(LogLevel::error,
      "\xc2\x9b\x31J, \x9b\x31J, \xc2\xa0, \xc3\x9b, \xe2\x80\x9b, \xf0\x9f\x80\x85");
  EXPECT_THAT(lines_,
              testing::ElementsAre("2\\xc2\\x9b1J, \\x9b1J, \xc2\xa0, \xc3\x9b, \xe2\x80\x9b, "
                                   "\xf0\x9f\x80\x85"));
}

TEST_F(LogTest, StandardErrorHasTheFormatThatIsSet) {
  set_log_sink({});
  testing::internal::CaptureStderr();
  log(LogLevel::error, "first");
  set_log_format(LogFormat::json);
  log(LogLevel::error, "second");
  set_log_format(LogFormat::text);
  const std::string said = testing::internal::GetCapturedStderr();
  const std::string first = "atc: first\n";
  ASSERT_THAT(said, testing::StartsWith(first));
  ASSERT_THAT(said, testing::EndsWith("}\n"));
  EXPECT_EQ(nlohmann::json::parse(said.substr(first.size()))["message"], "second");
}

}  // namespace
}  // namespace atc
