#include "store/files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

#include "core/format.hpp"
#include "store/temp_name.hpp"

namespace atc::store {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  // Network file systems report failed writes here.
  int close() {
    const int fd = fd_;
    fd_ = -1;
    return fd < 0 || ::close(fd) == 0 || errno == EINTR ? 0 : errno;
  }

 private:
  int fd_;
};

FileId id_of(const struct stat& status) {
  constexpr std::int64_t kNanoseconds = 1'000'000'000;
  return {static_cast<std::uint64_t>(status.st_dev), static_cast<std::uint64_t>(status.st_ino),
          static_cast<std::uint64_t>(status.st_size),
          status.st_mtim.tv_sec * kNanoseconds + status.st_mtim.tv_nsec};
}

FileText refused(std::string reason) {
  FileText result;
  result.state = FileText::State::refused;
  result.reason = std::move(reason);
  return result;
}

FileText unseen(int error) {
  FileText result = refused(format("cannot be read ({})", text_of(error)));
  result.unseen = true;
  return result;
}

int write_all(int fd, std::string_view text) {
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

int rename_file(const std::string& from, const std::string& to, Replace replace) {
  if (replace == Replace::no) {
    if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
    if (errno != EINVAL && errno != ENOSYS) return errno;
    // The file system cannot refuse to replace. The caller has found the name free, so that only a
    // file written since can be lost.
  }
  return rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

}  // namespace

std::string text_of(int error) { return std::generic_category().message(error); }

FileText read_file(const std::string& path, std::size_t limit) {
  const Descriptor file(
      open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY));
  if (file.get() < 0) {
    if (errno == ENOENT) return {};
    if (errno == ELOOP) return refused("is a symbolic link");
    return unseen(errno);
  }
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
  return result;
}

int identify(const std::string& path, FileId* out) {
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0) return errno;
  *out = id_of(status);
  return 0;
}

int write_file(const std::string& directory, const std::string& name, std::string_view text,
               Sync sync, Replace replace, FileId* id) {
  const std::string temp = directory + "/" + make_temp_name();
  Descriptor file(open(temp.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666));
  if (file.get() < 0) return errno;
  int error = write_all(file.get(), text);
  if (error == 0 && sync == Sync::yes && fsync(file.get()) != 0) error = errno;
  struct stat status {};
  if (error == 0 && fstat(file.get(), &status) != 0) error = errno;
  const int close_error = file.close();
  if (error == 0) error = close_error;
  if (error == 0) error = rename_file(temp, directory + "/" + name, replace);
  if (error != 0) {
    unlink(temp.c_str());
    return error;
  }
  if (id != nullptr) *id = id_of(status);
  return 0;
}

int remove_file(const std::string& path) { return unlink(path.c_str()) == 0 ? 0 : errno; }

int for_each_name(const std::string& directory,
                  const std::function<void(std::string_view)>& visit) {
  const std::unique_ptr<DIR, int (*)(DIR*)> handle(opendir(directory.c_str()), closedir);
  if (!handle) return errno;
  for (;;) {
    errno = 0;
    const dirent* item = readdir(handle.get());
    if (item == nullptr) return errno;
    const std::string_view name = item->d_name;
    if (name != "." && name != "..") visit(name);
  }
}

}  // namespace atc::store
