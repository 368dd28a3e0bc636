// Tests the order of the store's calls to the system, with functions that replace those of libc.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "fixtures.hpp"

namespace {

std::vector<std::string>* calls = nullptr;   // noted while not null
bool bad_sync = false;                       // fsync fails
std::function<void()>* on_sync = nullptr;    // the next fsync calls it
std::function<void()>* on_rename = nullptr;  // the stand-in for renameat2 calls this, and then
                                             // reports that renameat2 is not known
constexpr const char* kDescriptors = "/proc/self/fd/";

std::string path_of(int fd) {
  return std::filesystem::read_symlink(kDescriptors + std::to_string(fd)).filename().string();
}

}  // namespace

extern "C" {
int fsync(int fd) {
  if (calls != nullptr) calls->push_back("sync " + path_of(fd));
  if (const auto* const now = std::exchange(on_sync, nullptr); now != nullptr) (*now)();
  if (bad_sync) {
    errno = EIO;
    return -1;
  }
  return static_cast<int>(syscall(SYS_fsync, fd));
}
int renameat(int from_folder, const char* from, int to_folder, const char* to) noexcept {
  if (calls != nullptr) calls->push_back(std::string("rename ") + to);
  return static_cast<int>(syscall(SYS_renameat2, from_folder, from, to_folder, to, 0));
}
int renameat2(int from_folder, const char* from, int to_folder, const char* to,
              unsigned flags) noexcept {
  if (on_rename != nullptr) {
    (*on_rename)();
    errno = EINVAL;
    return -1;
  }
  return static_cast<int>(syscall(SYS_renameat2, from_folder, from, to_folder, to, flags));
}
}

namespace atc::store::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::vector<std::string> calls_of(const std::function<void()>& action) {
  std::vector<std::string> noted;
  calls = &noted;
  action();
  calls = nullptr;
  return noted;
}

// A rename is on the disk once its folder is. Until then a power loss may bring back the old entry,
// or none.
TEST(System, AnEntryAndItsNameAreOnTheDiskWhenPutReturns) {
  const Scratch scratch;
  const auto store = open(scratch / "s");
  (*store)->put(key(1), value("a"));
  const fs::path file = entry_files(scratch / "s").front();
  EXPECT_THAT(calls_of([&] { (*store)->put(key(1), value("b")); }),
              ElementsAre(StartsWith("sync tmp-"), "rename " + file.filename().string(),
                          "sync " + file.parent_path().filename().string()));
}

TEST(System, NewFoldersAreOnTheDisk) {
  const Scratch scratch;
  const auto noted = calls_of([&] { open(scratch / "a/b/s")->store->put(key(1), value("a")); });
  EXPECT_THAT(noted, ::testing::IsSupersetOf({"sync " + scratch.path().filename().string(),
                                              std::string("sync a"), std::string("sync b"),
                                              std::string("sync s")}));
}

// Another process has made the folder, but its name may not be on the disk yet. The next thing that
// the other process writes is the manifest.
TEST(System, AFolderThatAnotherProcessIsMakingIsOnTheDisk) {
  const Scratch scratch;
  open(scratch / "s")->store->put(key(1), value("a"));
  fs::remove(entry_files(scratch / "s").front().parent_path() / "manifest.json");
  const auto store = open(scratch / "s");
  const auto noted = calls_of([&] { (*store)->put(key(2), value("b")); });
  EXPECT_THAT(noted, ::testing::IsSupersetOf(
                         {"sync " + scratch.path().filename().string(), std::string("sync s")}));
}

// NFS and other file systems cannot rename without replacing. An entry that another process has put
// in the meantime is kept, and counts as kept.
TEST(System, AnImportKeepsTheEntryOfAFasterProcessOnEveryFileSystem) {
  const Scratch scratch;
  const auto from = open(scratch / "from"), to = open(scratch / "to");
  (*from)->put(key(1), value("imported"));
  (*to)->put(key(2), value("other"));
  const auto faster = open(scratch / "to");
  std::function<void()> put = [&] { (*faster)->put(key(1), value("faster")); };
  const std::string bundle = (*from)->export_bundle();
  on_rename = &put;
  const ImportReport report = (*to)->import_bundle(bundle);
  on_rename = nullptr;
  EXPECT_EQ(report.added, 0U);
  EXPECT_EQ(report.kept, 1U);
  EXPECT_EQ(choice((*to)->get(key(1))), "faster");
  for (const auto& [name, text] : snapshot(scratch / "to"))
    EXPECT_THAT(name, ::testing::Not(HasSubstr("tmp-")));
}

// The firm entry is put while the provisional one is being written to the disk.
TEST(System, AProvisionalEntryYieldsToTheFirmOneOfAFasterProcess) {
  Json noisy = value("noisy");
  noisy[kProvisional] = Json::object();
  for (const bool is_first : {true, false}) {
    const Scratch scratch;
    const auto store = open(scratch / "s"), faster = open(scratch / "s");
    (*store)->put(key(2), value("other"));  // makes the folders
    if (!is_first) (*store)->put(key(1), noisy);
    std::function<void()> put = [&] { (*faster)->put(key(1), value("firm")); };
    on_sync = &put;
    EXPECT_FALSE((*store)->put(key(1), noisy));
    EXPECT_EQ(on_sync, nullptr);
    for (const Opened* const each : {store.get(), faster.get()})
      EXPECT_EQ(choice((*each)->get(key(1))), "firm");
    for (const auto& [name, text] : snapshot(scratch / "s"))
      EXPECT_THAT(name, ::testing::Not(HasSubstr("tmp-")));
  }
}

// Another process writes the entry between the last look and the rename, on a file system that
// cannot rename without replacing.
TEST(System, AProvisionalEntryYieldsToAFirmOneUntilItHasItsName) {
  Json noisy = value("noisy");
  noisy[kProvisional] = Json::object();
  const Scratch scratch;
  const auto store = open(scratch / "s"), faster = open(scratch / "s");
  (*store)->put(key(2), value("other"));
  std::function<void()> put = [&] { (*faster)->put(key(1), value("firm")); };
  on_rename = &put;
  EXPECT_FALSE((*store)->put(key(1), noisy));
  on_rename = nullptr;
  EXPECT_EQ(choice((*store)->get(key(1))), "firm");
}

// The same must hold if the disk has first refused the entry and the entry is written again.
TEST(System, AProvisionalEntryThatTheDiskRefusedYieldsToAFirmOne) {
  Json noisy = value("noisy");
  noisy[kProvisional] = Json::object();
  const Scratch scratch;
  const auto store = open(scratch / "s");
  (*store)->put(key(2), value("other"));
  bad_sync = true;
  EXPECT_THROW((*store)->put(key(1), noisy), Error);
  bad_sync = false;
  EXPECT_TRUE((*store)->get(key(1))->unsaved);
  open(scratch / "s")->store->put(key(1), value("firm"));
  EXPECT_FALSE((*store)->put(key(1), noisy));
  EXPECT_EQ(choice((*store)->get(key(1))), "firm");
}

}  // namespace
}  // namespace atc::store::testing
