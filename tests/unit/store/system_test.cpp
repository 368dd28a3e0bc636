// Tests the order of the system calls that the store makes, and its behaviour on NFS. Functions of
// this file replace those of libc.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <map>
#include <utility>

#include "fixtures.hpp"

namespace {

// if this is set, each system call of the store adds a line
std::vector<std::string>* calls = nullptr;
bool bad_sync = false;  // if true, fsync fails
// if this is set, the next call of fsync calls this function
std::function<void()>* on_sync = nullptr;
// If this is set, the replaced renameat2 calls this function, and then fails as on a system without
// renameat2.
std::function<void()>* on_rename = nullptr;
// If true: the NFS server's answer to a rename is lost, so the client repeats the rename.
bool renames_twice = false;
// this number of calls of read fail with ESTALE: another NFS client has replaced the file
int stale_reads = 0;
// The seconds by which the clock of the NFS server is ahead. The server's clock sets the times of
// files.
std::int64_t server_clock_s = 0;
// If this is not null, lstat returns for each file the attributes that it has first returned for
// it, as an NFS client with a cache may do.
std::map<std::string, struct stat>* attributes = nullptr;
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
  if (renames_twice) syscall(SYS_renameat2, from_folder, from, to_folder, to, 0);
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
int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) noexcept {
  if (renames_twice) syscall(SYS_linkat, from_folder, from, to_folder, to, flags);
  return static_cast<int>(syscall(SYS_linkat, from_folder, from, to_folder, to, flags));
}
ssize_t read(int fd, void* bytes, size_t size) {
  if (stale_reads > 0) {
    --stale_reads;
    errno = ESTALE;
    return -1;
  }
  return syscall(SYS_read, fd, bytes, size);
}
ssize_t write(int fd, const void* bytes, size_t size) {
  const ssize_t written = syscall(SYS_write, fd, bytes, size);
  if (server_clock_s != 0) {
    const timespec now{time(nullptr) + server_clock_s, 0};
    const timespec times[] = {now, now};
    futimens(fd, times);
  }
  return written;
}
int lstat(const char* path, struct stat* out) noexcept {
  const int status = fstatat(AT_FDCWD, path, out, AT_SYMLINK_NOFOLLOW);
  if (attributes != nullptr && status == 0) *out = attributes->emplace(path, *out).first->second;
  return status;
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

// A rename survives a power loss only after an fsync of the folder. Before that, the power loss may
// bring back the old entry, or leave no entry.
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

// The folder of the environment exists, but without its manifest: another process is just making
// it. The folder's name may not be on the disk yet. So this process must call fsync for the store's
// folder, too.
TEST(System, AFolderThatAnotherProcessIsMakingIsOnTheDisk) {
  const Scratch scratch;
  open(scratch / "s")->store->put(key(1), value("a"));
  fs::remove(entry_files(scratch / "s").front().parent_path() / "manifest.json");
  const auto store = open(scratch / "s");
  const auto noted = calls_of([&] { (*store)->put(key(2), value("b")); });
  EXPECT_THAT(noted, ::testing::IsSupersetOf(
                         {"sync " + scratch.path().filename().string(), std::string("sync s")}));
}

// An import must not replace an entry that another process puts at the same time, and must count it
// in ImportReport::kept. NFS and some other file systems have no rename that refuses to replace a
// file (renameat2 fails), but the rule must hold on them, too.
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

// ---- Faults of NFS (docs/adr/0062-stores-on-nfs.md) --------------------------------------------

// The NFS server has renamed the file, but its answer was lost. The client repeats the request, and
// the server no longer finds the file. The put must succeed nevertheless.
TEST(Nfs, ARenameWhoseAnswerWasLostHasTakenPlace) {
  const Scratch scratch;
  const auto store = open(scratch / "s");
  (*store)->put(key(1), value("a"));
  renames_twice = true;
  EXPECT_TRUE((*store)->put(key(1), value("b")));
  renames_twice = false;
  EXPECT_FALSE((*store)->get(key(1))->unsaved);
  EXPECT_EQ(choice((*open(scratch / "s"))->get(key(1))), "b");
}

// On NFS, the store makes a link in place of a rename that must not replace a file. The server's
// answer to the link can be lost, too.
TEST(Nfs, ALinkWhoseAnswerWasLostHasTakenPlace) {
  const Scratch scratch;
  const auto from = open(scratch / "from"), to = open(scratch / "to");
  (*from)->put(key(1), value("imported"));
  (*to)->put(key(2), value("other"));
  std::function<void()> nothing = [] {};
  const std::string bundle = (*from)->export_bundle();
  on_rename = &nothing;
  renames_twice = true;
  const ImportReport report = (*to)->import_bundle(bundle);
  renames_twice = false;
  on_rename = nullptr;
  EXPECT_EQ(report.added, 1U);
  for (const auto& [name, text] : snapshot(scratch / "to"))
    EXPECT_THAT(name, ::testing::Not(HasSubstr("tmp-")));
}

TEST(Nfs, AFileThatWasReplacedWhileItWasReadIsReadAgain) {
  const Scratch scratch;
  open(scratch / "s")->store->put(key(1), value("a"));
  const auto store = open(scratch / "s");
  stale_reads = 1;
  EXPECT_EQ(choice((*store)->get(key(1))), "a");
  EXPECT_EQ(stale_reads, 0);
}

// Each read of the file fails with ESTALE, which says that another client has replaced the file.
// Then the entry counts as missing, but the file must not be removed.
TEST(Nfs, AFileThatIsAlwaysStaleIsAMiss) {
  const Scratch scratch;
  open(scratch / "s")->store->put(key(1), value("a"));
  const auto store = open(scratch / "s");
  stale_reads = 1000;
  EXPECT_EQ((*store)->get(key(1)), nullptr);
  stale_reads = 0;
  EXPECT_EQ(entry_files(scratch / "s").size(), 1U);
  EXPECT_EQ(choice((*store)->get(key(1))), "a");
}

// An NFS client may report attributes of a file that are a minute old. Then a reader may get the
// old entry, but never a mix of the old and the new one.
TEST(Nfs, WithOldAttributesAReaderHasTheOldEntry) {
  const Scratch scratch;
  const auto reader = open(scratch / "s"), writer = open(scratch / "s");
  (*writer)->put(key(1), value("a"));
  std::map<std::string, struct stat> old;
  attributes = &old;
  for (int i = 0; i < 2; ++i) EXPECT_EQ(choice((*reader)->get(key(1))), "a");
  (*writer)->put(key(1), value("b"));
  EXPECT_EQ(choice((*reader)->get(key(1))), "a");
  attributes = nullptr;
  EXPECT_EQ(choice((*reader)->get(key(1))), "b");
}

// A sidecar (a file with compiled texts) is written before its entry. Meanwhile prune() must not
// remove the sidecar as an old file without an entry, even if the server's clock, from which the
// file has its time, is hours behind.
TEST(Nfs, TheClockOfTheServerMakesNoSidecarOld) {
  const Scratch scratch;
  const auto writer = open(scratch / "s"), other = open(scratch / "s");
  (*writer)->put(key(1), value("a"));
  server_clock_s = -7200;
  const SidecarName name = (*writer)->put_sidecar(key(1), "compiled");
  server_clock_s = 0;
  EXPECT_EQ((*other)->prune(10), 0U);
  EXPECT_TRUE((*writer)->sidecar(CanonicalKey(key(1)), name).has_value());
}

// ---- Another process writes the same entry at the same time -------------------------------------

// While this process writes a provisional entry (without sufficient measurements) to the disk,
// another process puts a firm entry with the same key. The firm entry must stay in the store.
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

// This process writes a provisional entry (without sufficient measurements). Between its last
// look-up and its rename another process puts a firm entry with the same key. The firm entry must
// stay in the store. The file system has no rename that refuses to replace a file.
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

// Writing a provisional entry (without sufficient measurements) fails at first, so the entry stays
// in memory and is written later. If another process has put a firm entry with the same key
// meanwhile, the firm entry must stay in the store.
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
