// Tests which store is used: the store that a call has set, or otherwise the store that the
// environment names.
#include "store/in_use.hpp"

#include <gmock/gmock.h>

#include "core/log.hpp"
#include "fixtures.hpp"

namespace atc::store::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// Each check runs in a child process, because a process reads the environment only in its first
// call of in_use(). The parent process must not call it.
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

  // Expects that in_use() is a replay-only store without entries, so that no decision is found.
  void expect_nothing_to_replay(const std::string& place) {
    const auto opened = in_use();
    ASSERT_NE(opened, nullptr);
    EXPECT_EQ(opened->mode(), Mode::replay_only);
    EXPECT_EQ(opened->directory(), place);
    EXPECT_EQ(opened->size(), 0u);
    EXPECT_THAT(lines_, ::testing::IsEmpty());
    Status status{};
    error_of([&] { opened->export_bundle(); }, &status);
    EXPECT_EQ(status, Status::io);
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

TEST_F(InUse, SeveralFoldersAreLayersUnlessTheWholeNameIsAFolder) {
  const std::string first = (scratch_ / "s").string(), second = (scratch_ / "t").string();
  (*open(second))->put(key(1), value("second"));
  setenv("ATC_STORE", (first + ":" + second).c_str(), 1);
  expect_in_child([&] {
    const auto store = in_use();
    return store && store->directory() == first && choice(store->get(key(1))) == "second";
  });
  fs::create_directories(first + ":" + second);
  expect_in_child([&] { return in_use()->directory() == first + ":" + second; });
  setenv("ATC_STORE", (first + "::" + second).c_str(), 1);
  expect_in_child([&] { return in_use() == nullptr && lines_.size() == 1; });
}

// A malformed value of ATC_MODE may be a misspelt "replay-only". So it must act like replay-only
// without any record: no race may decide, and nothing may be written to the store.
TEST_F(InUse, AMalformedModeLeavesNothingToDecideBy) {
  fs::create_directory(scratch_ / "s");
  for (const std::string& place : {(scratch_ / "s").string(), std::string()}) {
    setenv("ATC_STORE", place.c_str(), 1);
    for (const char* mode : {"replay_only", "replayonly", "readwrite", "READ"}) {
      setenv("ATC_MODE", mode, 1);
      expect_in_child([&] {
        expect_nothing_to_replay(place);
        EXPECT_THAT(in_use()->trouble(),
                    AllOf(HasSubstr(std::string("ATC_MODE=") + mode),
                          HasSubstr("use off, read, read-write or replay-only"),
                          HasSubstr("unset ATC_MODE")));
        return !HasFailure();
      });
    }
  }
  EXPECT_TRUE(fs::is_empty(scratch_ / "s"));
}

TEST_F(InUse, AStoreThatCannotBeReplayedLeavesNothingToDecideBy) {
  write(scratch_ / "file", "");
  setenv("ATC_MODE", "replay-only", 1);
  for (const std::string& place : {(scratch_ / "absent").string(), (scratch_ / "file").string(),
                                   (scratch_ / "file/below").string(), std::string()}) {
    setenv("ATC_STORE", place.c_str(), 1);
    expect_in_child([&] {
      expect_nothing_to_replay(place);
      EXPECT_THAT(in_use()->trouble(), AllOf(HasSubstr(place), HasSubstr("ATC_MODE=replay-only"),
                                             HasSubstr("ATC_STORE"), HasSubstr("unset ATC_MODE")));
      return !HasFailure();
    });
  }
  EXPECT_FALSE(fs::exists(scratch_ / "absent"));
}

TEST_F(InUse, AnUnusablePlaceIsOneLineAndNoStore) {
  write(scratch_ / "file", "");
  setenv("ATC_STORE", (scratch_ / "file").c_str(), 1);
  for (const char* mode : {"", "read", "read-write"}) {
    setenv("ATC_MODE", mode, 1);
    expect_in_child([&] {
      return in_use() == nullptr && in_use() == nullptr && lines_.size() == 1 &&
             lines_[0].find((scratch_ / "file").string()) != std::string::npos;
    });
  }
}

// The store's folder is not writable, as in an image that is mounted read-only.
TEST_F(InUse, APlaceThatCannotBeWrittenIsRead) {
  fs::create_directory(scratch_ / "s");
  fs::permissions(scratch_ / "s", fs::perms(0555));
  setenv("ATC_STORE", (scratch_ / "s").c_str(), 1);
  for (const char* mode : {"", "read-write"}) {
    setenv("ATC_MODE", mode, 1);
    expect_in_child([&] {
      const WithoutRights nobody;
      if (!nobody.works()) return true;
      const auto opened = in_use();
      EXPECT_TRUE(opened != nullptr && opened->mode() == Mode::read && opened->trouble().empty());
      EXPECT_THAT(lines_, ::testing::ElementsAre(AllOf(HasSubstr((scratch_ / "s").string()),
                                                       HasSubstr("Permission denied"),
                                                       HasSubstr("set ATC_MODE=read"))));
      EXPECT_EQ(open_from_environment()->mode(), Mode::read);
      return !HasFailure();
    });
  }
  setenv("ATC_STORE", (scratch_ / "s/below").c_str(), 1);
  expect_in_child([&] {
    const WithoutRights nobody;
    if (!nobody.works()) return true;
    EXPECT_EQ(in_use(), nullptr);
    EXPECT_THAT(lines_, ::testing::ElementsAre(HasSubstr("can be made")));
    return !HasFailure();
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
