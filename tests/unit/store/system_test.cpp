// The order of the store's calls to the system, seen by functions that stand in for libc's.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "fixtures.hpp"

namespace {

std::vector<std::string>* calls = nullptr;   // noted while not null
std::function<void()>* on_rename = nullptr;  // renameat2 calls it and is not known then
constexpr const char* kDescriptors = "/proc/self/fd/";

std::string path_of(int fd) {
  return std::filesystem::read_symlink(kDescriptors + std::to_string(fd)).filename().string();
}

}  // namespace

extern "C" {
int fsync(int fd) {
  if (calls != nullptr) calls->push_back("sync " + path_of(fd));
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

// A rename is on the disk once its folder is: until then a power loss brings back the old entry, or
// none.
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

// Another process has made the folder, but may not have put its name on the disk yet: the manifest
// is what it writes next.
TEST(System, AFolderThatAnotherProcessIsMakingIsOnTheDisk) {
  const Scratch scratch;
  open(scratch / "s")->store->put(key(1), value("a"));
  fs::remove(entry_files(scratch / "s").front().parent_path() / "manifest.json");
  const auto store = open(scratch / "s");
  const auto noted = calls_of([&] { (*store)->put(key(2), value("b")); });
  EXPECT_THAT(noted, ::testing::IsSupersetOf(
                         {"sync " + scratch.path().filename().string(), std::string("sync s")}));
}

// NFS and others cannot rename without replacing: an entry that another process has put meanwhile
// stays, and counts as kept.
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

}  // namespace
}  // namespace atc::store::testing
