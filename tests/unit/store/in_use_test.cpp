// The store in use: set by a call, else by the environment.
#include "store/in_use.hpp"

#include <gmock/gmock.h>

#include "core/log.hpp"
#include "fixtures.hpp"

namespace atc::store::testing {
namespace {

// Each check runs in a child, because the first call of a process reads the environment; the parent
// makes no call.
class InUse : public ::testing::Test {
 protected:
  void SetUp() override {
    unsetenv("ATC_STORE");
    unsetenv("ATC_MODE");
    set_log_level(LogLevel::warning);
    set_log_sink([this](LogLevel, const std::string& line) { lines_.push_back(line); });
  }
  void TearDown() override { set_log_sink({}); }
  void expect_in_child(const std::function<bool()>& check) {
    EXPECT_EXIT(_exit(check() ? 0 : 1), ::testing::ExitedWithCode(0), "");
  }

  const Scratch scratch_;
  std::vector<std::string> lines_;
};

TEST_F(InUse, NothingWithoutTheVariable) {
  expect_in_child([&] { return in_use() == nullptr && lines_.empty(); });
  setenv("ATC_STORE", "", 1);
  expect_in_child([&] { return in_use() == nullptr && lines_.empty(); });
}

TEST_F(InUse, OpensWhatTheEnvironmentNames) {
  setenv("ATC_STORE", (scratch_ / "s").c_str(), 1);
  expect_in_child([&] {
    const auto store = in_use();
    return store && store->mode() == Mode::read_write && store->directory() == scratch_ / "s" &&
           in_use() == store;
  });
  EXPECT_TRUE(fs::is_directory(scratch_ / "s"));
  setenv("ATC_MODE", "replay-only", 1);
  expect_in_child([&] { return in_use()->mode() == Mode::replay_only; });
  setenv("ATC_MODE", "off", 1);
  expect_in_child([&] { return in_use()->mode() == Mode::off; });
}

// A store that is to be replayed alone is not written to because its mode is misspelt.
TEST_F(InUse, AMalformedModeIsOneLineAndReadsAlone) {
  fs::create_directory(scratch_ / "s");
  setenv("ATC_STORE", (scratch_ / "s").c_str(), 1);
  for (const char* mode : {"replay_only", "readwrite", "READ"}) {
    setenv("ATC_MODE", mode, 1);
    expect_in_child([&] {
      const auto opened = in_use();
      EXPECT_TRUE(opened != nullptr && opened->mode() == Mode::read);
      EXPECT_THAT(lines_, ::testing::ElementsAre(::testing::AllOf(
                              ::testing::HasSubstr(std::string("ATC_MODE=") + mode),
                              ::testing::HasSubstr("use off, read, read-write or replay-only"))));
      return !HasFailure();
    });
  }
  EXPECT_TRUE(fs::is_empty(scratch_ / "s"));
}

TEST_F(InUse, AnUnusablePlaceIsOneLineAndNoStore) {
  write(scratch_ / "file", "");
  setenv("ATC_STORE", (scratch_ / "file").c_str(), 1);
  expect_in_child([&] {
    return in_use() == nullptr && in_use() == nullptr && lines_.size() == 1 &&
           lines_[0].find((scratch_ / "file").string()) != std::string::npos;
  });
}

TEST_F(InUse, ReadingTheEnvironmentAgainTellsItsFaults) {
  EXPECT_EQ(open_from_environment(), nullptr);
  write(scratch_ / "file", "");
  setenv("ATC_STORE", (scratch_ / "file").c_str(), 1);
  Status status{};
  error_of([] { open_from_environment(); }, &status);
  EXPECT_EQ(status, Status::io);
  setenv("ATC_STORE", (scratch_ / "s").c_str(), 1);
  setenv("ATC_MODE", "readwrite", 1);
  error_of([] { open_from_environment(); }, &status);
  EXPECT_EQ(status, Status::invalid_argument);
  setenv("ATC_MODE", "replay-only", 1);
  fs::create_directory(scratch_ / "s");
  EXPECT_EQ(open_from_environment()->mode(), Mode::replay_only);
  expect_in_child([&] {
    const auto opened = open_from_environment();
    return in_use() != opened;
  });
}

TEST_F(InUse, AnExplicitCallOutranksTheEnvironment) {
  setenv("ATC_STORE", (scratch_ / "environment").c_str(), 1);
  expect_in_child([&] {
    use(nullptr);
    return in_use() == nullptr;
  });
  const std::shared_ptr<Store> mine = Store::open(scratch_ / "mine", {});
  expect_in_child([&] {
    use(mine);
    return in_use() == mine;
  });
  EXPECT_FALSE(fs::exists(scratch_ / "environment"));
}

}  // namespace
}  // namespace atc::store::testing
