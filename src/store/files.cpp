#include "store/files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "core/format.hpp"
#include "store/temp_name.hpp"

namespace atc::store {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  int release() noexcept { return std::exchange(fd_, -1); }
  // Closes the file and returns 0 or an errno. The result must be checked after writing, because
  // network file systems may report a failed write only when the file is closed.
  int close() {
    const int fd = release();
    return fd < 0 || ::close(fd) == 0 || errno == EINTR ? 0 : errno;
  }

 private:
  int fd_;
};

// A temporary file in a folder. The destructor removes the file, unless renamed() was called.
class Unfinished {
 public:
  Unfinished(int folder, std::string name) : folder_(folder), name_(std::move(name)) {}
  ~Unfinished() {
    if (!renamed_) unlinkat(folder_, name_.c_str(), 0);
  }
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;
  const char* name() const { return name_.c_str(); }
  void renamed() { renamed_ = true; }

 private:
  const int folder_;
  const std::string name_;
  bool renamed_ = false;
};

constexpr std::int64_t kNanoseconds = 1'000'000'000;

std::int64_t nanoseconds(const timespec& time) {
  // File times are stored as nanoseconds in 64 bits. A file may have a later time, so its seconds
  // are cut to this number.
  constexpr std::int64_t kFarthest = 9'000'000'000;
  return std::clamp<std::int64_t>(time.tv_sec, -kFarthest, kFarthest) * kNanoseconds + time.tv_nsec;
}

FileId id_of(const struct stat& status) {
  return {static_cast<std::uint64_t>(status.st_dev), static_cast<std::uint64_t>(status.st_ino),
          static_cast<std::uint64_t>(status.st_size), nanoseconds(status.st_mtim)};
}

Ownership ownership_of(const struct stat& status) {
  return {status.st_uid, status.st_gid, status.st_mode & 07777};
}

FileText refused(std::string reason) {
  FileText result;
  result.state = FileText::State::refused;
  result.reason = std::move(reason);
  return result;
}

FileText unseen(int error) {
  FileText result = refused(format("cannot be read ({})", text_of(error)));
  result.error = error;
  return result;
}

// While an object of this class exists, a write beyond RLIMIT_FSIZE fails with EFBIG instead of
// ending the process. The kernel's signal to the writing thread (SIGXFSZ) is blocked, and the
// destructor discards it.
class FileSizeSignalHeld {
 public:
  FileSizeSignalHeld() {
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGXFSZ);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGXFSZ) == 1;
    pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  ~FileSizeSignalHeld() {
    const timespec at_once{};
    if (!was_pending_) sigtimedwait(&signal_, nullptr, &at_once);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  FileSizeSignalHeld(const FileSizeSignalHeld&) = delete;
  FileSizeSignalHeld& operator=(const FileSizeSignalHeld&) = delete;

 private:
  sigset_t signal_{}, before_{};
  bool was_pending_ = false;
};

int write_all(int fd, std::string_view text) {
  const FileSizeSignalHeld held;
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

// Opens a folder. If the path is a symbolic link, fails with ELOOP.
Descriptor open_folder(const std::string& path) {
  constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  Descriptor folder(open(path.c_str(), kFlags));
  if (folder.get() >= 0 || errno != ENOTDIR) return folder;
  // For a symbolic link the error is ENOTDIR because of O_DIRECTORY. So a link is recognised here,
  // and ELOOP is returned for it.
  struct stat status {};
  errno = lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode) ? ELOOP : ENOTDIR;
  return folder;
}

// Returns whether the file `name` is the file with this identity. On NFS an operation may succeed
// and nevertheless return an error: if the server's answer is lost, the client repeats the request,
// and the repeated request fails. This function detects that. The time of the file is not compared,
// because the server may set it when the file is closed.
bool has_name(int folder, const char* name, const FileId& id) {
  struct stat status {};
  if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return false;
  const FileId found = id_of(status);
  return found.device == id.device && found.inode == id.inode && found.size == id.size;
}

int rename_without_replacing(int folder, const char* from, const char* to, const FileId& id) {
  if (renameat2(folder, from, folder, to, RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  // The file system cannot rename a file without replacing another (renameat2 with
  // RENAME_NOREPLACE). So linkat gives the file the new name as a second name; linkat fails if this
  // name is taken.
  const int linked = linkat(folder, from, folder, to, 0) == 0 ? 0 : errno;
  if (linked == 0 || (linked == EEXIST && has_name(folder, to, id))) {
    unlinkat(folder, from, 0);
    return 0;
  }
  if (linked != EPERM && linked != EOPNOTSUPP) return linked;
  // The file system supports neither renameat2 without replacing nor hard links. The file is
  // renamed after a check that the name is free. If another process makes a file of this name after
  // the check, that file is overwritten.
  if (faccessat(folder, to, F_OK, AT_SYMLINK_NOFOLLOW) == 0) return EEXIST;
  return renameat(folder, from, folder, to) == 0 ? 0 : errno;
}

int rename_file(int folder, const char* from, const char* to, Replace replace, const FileId& id) {
  if (replace == Replace::no) return rename_without_replacing(folder, from, to, id);
  if (renameat(folder, from, folder, to) == 0) return 0;
  const int error = errno;
  return error == ENOENT && has_name(folder, to, id) ? 0 : error;
}

// If the file system cannot sync folders, fsync returns EINVAL. This counts as success.
int sync_folder(int folder) { return fsync(folder) == 0 || errno == EINVAL ? 0 : errno; }

timespec from_nanoseconds(std::int64_t time) {
  return {static_cast<time_t>(time / kNanoseconds), static_cast<long>(time % kNanoseconds)};
}

int set_time(int file, std::int64_t time_ns) {
  const timespec times[] = {from_nanoseconds(time_ns), from_nanoseconds(time_ns)};
  return futimens(file, times) == 0 ? 0 : errno;
}

constexpr int kReading = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY;

FileText read_descriptor(const Descriptor& file, std::size_t limit) {
  struct stat status {};
  if (fstat(file.get(), &status) != 0) {
    return unseen(errno);
  }
  if (!S_ISREG(status.st_mode)) return refused("is no regular file");
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size > limit) {
    return refused(format("has {} bytes, more than the {} it may have", size, limit));
  }
  FileText result;
  result.text.resize(size);
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got = ::read(file.get(), result.text.data() + done, size - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return unseen(errno);
    if (got == 0) return refused("shrank while it was read");
    done += static_cast<std::size_t>(got);
  }
  result.state = FileText::State::read;
  result.id = id_of(status);
  result.ownership = ownership_of(status);
  return result;
}

// Reads a file in a folder. On NFS, a file that was replaced after it was opened gives ESTALE. In
// this case the name is opened again, so that the new file is read.
FileText read_at(int folder, const std::string& name, std::size_t limit) {
  constexpr int kAttempts = 3;
  for (int attempt = 1;; ++attempt) {
    const Descriptor file(openat(folder, name.c_str(), kReading));
    if (file.get() < 0 && errno == ENOENT) return {};
    if (file.get() < 0 && errno == ELOOP) return refused("is a symbolic link");
    FileText result = file.get() < 0 ? unseen(errno) : read_descriptor(file, limit);
    if (result.error != ESTALE || attempt == kAttempts) return result;
  }
}

}  // namespace

std::string text_of(int error) { return std::generic_category().message(error); }

int ownership_of(const std::string& path, Ownership* out) {
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0) return errno;
  *out = ownership_of(status);
  return 0;
}

FileText read_file(const std::string& path, std::size_t limit) {
  return read_at(AT_FDCWD, path, limit);
}

FileText read_file(const std::string& folder, const std::string& name, std::size_t limit) {
  const Descriptor opened = open_folder(folder);
  if (opened.get() >= 0) return read_at(opened.get(), name, limit);
  if (errno == ENOENT) return {};
  FileText result = unseen(errno);
  if (errno == ELOOP) result.reason = "is in a folder that is a symbolic link";
  return result;
}

int identify(const std::string& path, FileId* out) {
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0) return errno;
  *out = id_of(status);
  return 0;
}

int write_file(const std::string& directory, const std::string& name, std::string_view text,
               const WriteOptions& options, FileId* id) {
  const Descriptor folder = open_folder(directory);
  if (folder.get() < 0) return errno;
  std::string temp_name = make_temp_name();
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
  Descriptor file(openat(folder.get(), temp_name.c_str(), kFlags, options.mode));
  if (file.get() < 0) return errno;
  Unfinished temp(folder.get(), std::move(temp_name));
  int error = write_all(file.get(), text);
  if (error == 0 && options.time_ns != 0) error = set_time(file.get(), options.time_ns);
  if (error == 0 && options.sync == Sync::yes && fsync(file.get()) != 0) error = errno;
  struct stat status {};
  if (error == 0 && fstat(file.get(), &status) != 0) error = errno;
  const int close_error = file.close();
  if (error == 0) error = close_error;
  if (error == 0 && options.unless && options.unless()) error = ECANCELED;
  if (error == 0)
    error = rename_file(folder.get(), temp.name(), name.c_str(), options.replace, id_of(status));
  if (error != 0) return error;
  temp.renamed();
  if (options.sync == Sync::yes) error = sync_folder(folder.get());
  if (id != nullptr) *id = id_of(status);
  return error;
}

int make_folder(const std::string& path, unsigned mode) {
  const int made = mkdir(path.c_str(), mode) == 0 ? 0 : errno;
  if (made != 0 && made != EEXIST) return made;
  const Descriptor parent = open_folder(path + "/..");
  const int error = parent.get() < 0 ? errno : sync_folder(parent.get());
  return error != 0 ? error : made;
}

int make_folders(const std::string& path, unsigned mode) {
  const int made = make_folder(path, mode);
  const std::string above = std::filesystem::path(path).parent_path().string();
  if (made != ENOENT || above.empty() || above == path) return made;
  // The result of this call is ignored: if a parent folder is missing, the next make_folder fails.
  make_folders(above, mode);
  return make_folder(path, mode);
}

int set_time_of(const std::string& path, std::int64_t time_ns) {
  const timespec times[] = {from_nanoseconds(time_ns), from_nanoseconds(time_ns)};
  return utimensat(AT_FDCWD, path.c_str(), times, AT_SYMLINK_NOFOLLOW) == 0 ? 0 : errno;
}

int remove_file(const std::string& folder, const std::string& name) {
  const Descriptor opened = open_folder(folder);
  if (opened.get() < 0) return errno;
  return unlinkat(opened.get(), name.c_str(), 0) == 0 ? 0 : errno;
}

int for_each_name(const std::string& directory,
                  const std::function<void(std::string_view)>& visit) {
  Descriptor folder = open_folder(directory);
  if (folder.get() < 0) return errno;
  const std::unique_ptr<DIR, int (*)(DIR*)> handle(fdopendir(folder.get()), closedir);
  if (!handle) return errno;
  folder.release();  // closedir closes the descriptor
  for (;;) {
    errno = 0;
    const dirent* item = readdir(handle.get());
    if (item == nullptr) return errno;
    const std::string_view name = item->d_name;
    if (name != "." && name != "..") visit(name);
  }
}

}  // namespace atc::store
