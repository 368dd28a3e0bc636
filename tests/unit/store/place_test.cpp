// Tests folders that cannot be used as a store, and full disks.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <optional>

#include "fixtures.hpp"

namespace atc::store::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

void expect_unusable(const fs::path& path, Mode mode, const std::string& reason) {
  Status status{};
  const std::string text = error_of([&] { open(path, mode); }, &status);
  EXPECT_EQ(status, Status::io) << path << ' ' << name_of(mode);
  EXPECT_THAT(text, AllOf(HasSubstr(path.string()), HasSubstr(reason)));
}

// While an object of this class exists, the files of this process cannot grow beyond `bytes`. Code
// that writes files cannot distinguish this from a full disk.
class SmallFiles {
 public:
  explicit SmallFiles(rlim_t bytes) {
    handler_ = signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~SmallFiles() {
    setrlimit(RLIMIT_FSIZE, &before_);
    signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  sighandler_t handler_ = nullptr;
};

TEST(Place, MakesTheFolderToWriteAndNotToRead) {
  const Scratch scratch;
  open(scratch / "a/b/c");
  EXPECT_TRUE(fs::is_directory(scratch / "a/b/c"));
  expect_unusable(scratch / "d", Mode::read, "does not exist");
  expect_unusable(scratch / "d", Mode::replay_only, "does not exist");
  EXPECT_FALSE(fs::exists(scratch / "d"));
}

TEST(Place, RefusesWhatIsNoFolder) {
  const Scratch scratch;
  write(scratch / "file", "text");
  fs::create_symlink(scratch / "nowhere", scratch / "dangling");
  for (const Mode mode : {Mode::read, Mode::read_write, Mode::replay_only}) {
    expect_unusable(scratch / "file", mode, "no folder");
    expect_unusable(scratch / "file/below", mode, "");
    expect_unusable(scratch / "dangling", mode, "");
    expect_unusable("/dev/null", mode, "no folder");
    expect_unusable(scratch / std::string(300, 'x'), mode, "");
    expect_unusable("", mode, "");
  }
  expect_unusable("/proc/atc-store", Mode::read_write, "");
  EXPECT_EQ(read(scratch / "file"), "text");
}

TEST(Place, RefusesAFolderWithoutTheRights) {
  const Scratch scratch;
  open(scratch / "s")->store->put(key(64), value("a"));
  fs::permissions(scratch / "s", static_cast<fs::perms>(0555));
  const WithoutRights user;
  if (!user.works()) GTEST_SKIP() << "root here cannot become a user without rights";
  expect_unusable(scratch / "s", Mode::read_write, "open it in mode read");
  EXPECT_EQ(choice(open(scratch / "s", Mode::read)->store->get(key(64))), "a");
}

TEST(Place, RefusesAFolderThatMayNotBeRead) {
  const Scratch scratch;
  open(scratch / "s");
  fs::permissions(scratch / "s", fs::perms::none);
  {
    const WithoutRights user;
    if (!user.works()) GTEST_SKIP() << "root here cannot become a user without rights";
    for (const Mode mode : {Mode::read, Mode::read_write, Mode::replay_only}) {
      expect_unusable(scratch / "s", mode, "Permission denied");
    }
  }
  fs::permissions(scratch / "s", static_cast<fs::perms>(0755));
}

TEST(Place, PruneSparesWhatItCouldNotOpen) {
  const Scratch scratch;
  fs::permissions(scratch.path(), static_cast<fs::perms>(0777));
  const WithoutRights user;
  if (!user.works()) GTEST_SKIP() << "root here cannot become a user without rights";
  const auto store = open(scratch / "s");
  (*store)->put(key(1), value("a"));
  const fs::path file = entry_files(scratch / "s").front();
  fs::permissions(file, fs::perms::none);
  EXPECT_EQ(open(scratch / "s")->store->get(key(1)), nullptr);
  EXPECT_EQ((*store)->prune(10), 0U);
  fs::permissions(file, static_cast<fs::perms>(0644));
  EXPECT_EQ(choice((*store)->get(key(1))), "a");
}

TEST(Place, FolderThatBecomesReadOnlyKeepsDecisionsInMemory) {
  const Scratch scratch;
  fs::permissions(scratch.path(), static_cast<fs::perms>(0777));
  std::unique_ptr<Opened> store;
  {
    const WithoutRights user;
    if (!user.works()) GTEST_SKIP() << "root here cannot become a user without rights";
    store = open(scratch / "s");
    (*store)->put(key(1), value("before"));
    const fs::path folder = entry_files(scratch / "s").front().parent_path();
    fs::permissions(folder, static_cast<fs::perms>(0555));
    fs::permissions(scratch / "s", static_cast<fs::perms>(0555));
    for (const auto& k : {key(1), key(2), key(3, 8, "3.3")}) {
      Status status{};
      EXPECT_THAT(error_of([&] { (*store)->put(k, value("after")); }, &status),
                  HasSubstr("Permission denied"));
      EXPECT_EQ(status, Status::io);
      EXPECT_EQ(choice((*store)->get(k)), "after");
    }
    EXPECT_THAT(store->warnings, ElementsAre(HasSubstr("Permission denied")));
    EXPECT_EQ((*store)->size(), 3U);
    EXPECT_EQ((*store)->list().size(), 3U);
    fs::permissions(scratch / "s", static_cast<fs::perms>(0755));
    fs::permissions(folder, static_cast<fs::perms>(0755));
  }
  EXPECT_EQ(choice(open(scratch / "s", Mode::read)->store->get(key(1))), "before");
}

TEST(Place, RefusedWriteIsKeptInMemoryAndLeavesNothingBehind) {
  const Scratch scratch;
  const auto store = open(scratch / "s");
  (*store)->put(key(1), value("before"));
  const auto before = snapshot(scratch / "s");
  std::vector<Status> statuses;
  std::vector<std::string> texts;
  {
    const SmallFiles disk(64);
    for (int i = 1; i < 4; ++i) {
      Status status{};
      texts.push_back(error_of([&] { (*store)->put(key(i), value("after")); }, &status));
      statuses.push_back(status);
    }
  }
  EXPECT_THAT(statuses, ::testing::Each(Status::io));
  EXPECT_THAT(texts, ::testing::Each(HasSubstr("File too large")));
  EXPECT_THAT(texts[2], HasSubstr(hex128(CanonicalKey(key(3)).place().key)));
  EXPECT_THAT(store->warnings, ElementsAre(HasSubstr((scratch / "s").string())));
  EXPECT_EQ(snapshot(scratch / "s"), before) << "a temporary file or half an entry was left";
  for (int i = 1; i < 4; ++i) EXPECT_EQ(choice((*store)->get(key(i))), "after");
  EXPECT_THAT((*store)->find(environment(), key(2).family, [](const Entry&) { return true; }),
              ::testing::SizeIs(1));
  EXPECT_EQ(choice(open(scratch / "s")->store->get(key(1))), "before");
  EXPECT_EQ(open(scratch / "s")->store->get(key(2)), nullptr);

  // Now the disk has room again, so the entry that is only in memory must be written to its file.
  (*store)->put(key(2), value("written"));
  EXPECT_EQ(choice((*store)->get(key(2))), "written");
  EXPECT_EQ(choice(open(scratch / "s")->store->get(key(2))), "written");
  EXPECT_TRUE((*store)->remove(key(3))) << "what only memory holds can be removed";
  EXPECT_EQ((*store)->get(key(3)), nullptr);
}

TEST(Place, FullDisk) {
  const Scratch scratch;
  const fs::path disk = scratch / "disk";
  fs::create_directory(disk);
  if (mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=64k") != 0) {
    GTEST_SKIP() << "cannot mount a small disk: " << std::strerror(errno);
  }
  {
    const auto store = open(disk / "s");
    std::optional<int> refused;
    Json large = value("x");
    large["pad"] = std::string(10'000, 'p');
    for (int i = 0; i < 20; ++i) {
      Status status{};
      const std::string text = error_of([&] { (*store)->put(key(i), large); }, &status);
      if (status == Status::ok) continue;
      EXPECT_EQ(status, Status::io);
      EXPECT_THAT(text, HasSubstr("No space left on device"));
      if (!refused) refused = i;
    }
    EXPECT_TRUE(refused);
    for (int i = 0; i < 20; ++i) EXPECT_EQ(choice((*store)->get(key(i))), "x") << i;
    EXPECT_EQ(store->warnings.size(), 1U);
    EXPECT_THAT((*store)->verify(), IsEmpty());
    const auto again = open(disk / "s");
    EXPECT_GT((*again)->list().size(), 0U);
    EXPECT_LT((*again)->list().size(), 20U);
    EXPECT_THAT(again->warnings, IsEmpty());
  }
  EXPECT_EQ(umount(disk.c_str()), 0);
}

TEST(Place, ReadOnlyMount) {
  const Scratch scratch;
  const fs::path disk = scratch / "disk";
  fs::create_directory(disk);
  if (mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=1m") != 0) {
    GTEST_SKIP() << "cannot mount a disk: " << std::strerror(errno);
  }
  open(disk / "s")->store->put(key(64), value("a"));
  EXPECT_EQ(mount("tmpfs", disk.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, nullptr), 0);
  expect_unusable(disk / "s", Mode::read_write, "Read-only file system");
  EXPECT_EQ(choice(open(disk / "s", Mode::replay_only)->store->get(key(64))), "a");
  EXPECT_EQ(umount(disk.c_str()), 0);
}

TEST(Place, AFolderThatGoesAwayIsMadeAgain) {
  const Scratch scratch;
  const auto store = open(scratch / "s");
  (*store)->put(key(64), value("a"));
  fs::remove_all(scratch / "s");
  EXPECT_EQ((*store)->get(key(64)), nullptr);
  EXPECT_EQ((*store)->size(), 0U);
  (*store)->put(key(64), value("b"));
  EXPECT_EQ(choice(open(scratch / "s")->store->get(key(64))), "b");
}

// Links within the store's folder are not followed. Otherwise every user who may write into the
// folder could make this process write elsewhere.
TEST(Place, AnEnvironmentFolderThatIsALinkIsNeitherReadNorWritten) {
  const Scratch scratch;
  open(scratch / "s")->store->put(key(1), value("a"));
  const fs::path folder = entry_files(scratch / "s").front().parent_path();
  fs::rename(folder, scratch / "elsewhere");
  fs::create_directory_symlink(scratch / "elsewhere", folder);
  const auto before = snapshot(scratch / "elsewhere");

  const auto store = open(scratch / "s");
  EXPECT_EQ((*store)->get(key(1)), nullptr);
  EXPECT_THAT((*store)->list(), IsEmpty());
  EXPECT_THAT((*store)->verify(), ::testing::Contains(HasSubstr("symbolic link")));
  Status status{};
  error_of([&] { (*store)->put(key(2), value("b")); }, &status);
  EXPECT_EQ(status, Status::io);
  EXPECT_EQ(choice((*store)->get(key(2))), "b") << "kept in memory";
  error_of([&] { (*store)->remove(key(1)); }, &status);
  EXPECT_EQ(status, Status::io);
  EXPECT_EQ((*store)->prune(0), 0U);
  EXPECT_THAT(store->warnings, ::testing::Contains(HasSubstr("symbolic link")));
  EXPECT_EQ(snapshot(scratch / "elsewhere"), before);
}

// The path that the caller names may be a link to the store's folder. This link is followed.
TEST(Place, ALinkToAStoreIsFollowed) {
  const Scratch scratch;
  open(scratch / "s")->store->put(key(1), value("a"));
  fs::create_directory_symlink(scratch / "s", scratch / "link");
  const auto store = open(scratch / "link");
  EXPECT_EQ(choice((*store)->get(key(1))), "a");
  (*store)->put(key(2), value("b"));
  EXPECT_EQ(choice(open(scratch / "s")->store->get(key(2))), "b");
  EXPECT_THAT(store->warnings, IsEmpty());
}

TEST(Place, TheNewestEntryStaysWhereTheClockWasSetBack) {
  const Scratch scratch;
  const auto store = open(scratch / "s");
  for (int i = 1; i <= 3; ++i) (*store)->put(key(i), value("before"));
  // Makes the clock run one hour behind the store: moves the times of the existing files one hour
  // into the future.
  for (const auto& item : fs::recursive_directory_iterator(scratch / "s"))
    if (item.is_regular_file())
      fs::last_write_time(item, item.last_write_time() + std::chrono::hours(1));
  (*store)->put(key(4), value("after"));
  (*store)->put(key(5), value("after"));
  EXPECT_EQ((*store)->prune(2), 3U);
  EXPECT_EQ(choice((*store)->get(key(4))), "after");
  EXPECT_EQ(choice((*store)->get(key(5))), "after");
}

// prune() keeps the entries with the latest times. The file `newest` has the latest time in the
// store. So an entry that was just written must have the same time as this file.
TEST(Place, AnEntryHasTheTimeOfTheNewest) {
  const Scratch scratch;
  const auto store = open(scratch / "s");
  for (int i = 0; i < 1000; ++i) {
    (*store)->put(key(1), value("a"));
    ASSERT_EQ(fs::last_write_time(entry_files(scratch / "s").front()),
              fs::last_write_time(scratch / "s" / "newest"))
        << i;
  }
}

TEST(Place, ARelativeNameMeansTheFolderOfTheOpening) {
  const Scratch scratch;
  const fs::path before = fs::current_path();
  fs::current_path(scratch.path());
  const auto store = open("s");
  fs::current_path(before);
  (*store)->put(key(64), value("a"));
  EXPECT_EQ(choice(open(scratch / "s")->store->get(key(64))), "a");
}

}  // namespace
}  // namespace atc::store::testing
