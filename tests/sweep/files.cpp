// Replacements for the functions of libc that work on files. libatc and the C++ library call them.
// Each can be made to fail (faults.hpp), and its changes on the disk can be recorded (effects.hpp).
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <utility>

#include "effects.hpp"
#include "faults.hpp"

namespace atc_sweep {
namespace {

// Returns the function of this name in libc, which the function of the same name in this file
// replaces and calls.
template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

enum class Use { look, open, create, read, write, change_names, sync, close };

// Returns whether the call of `function` that is being made must fail. `use` says what the call
// does. If the call must fail, sets errno.
bool refused(Use use, const char* function) {
  const bool takes_room = use == Use::create || use == Use::write || use == Use::change_names ||
                          use == Use::sync || use == Use::close;
  const bool may_wait = use != Use::look && use != Use::change_names;
  int error = 0;
  if (fails(Kind::eio)) error = EIO;
  if (takes_room && fails(Kind::enospc)) error = ENOSPC;
  if (may_wait && fails(Kind::eintr)) error = EINTR;
  if (error == 0) return false;
  note_hit(function);
  errno = error;
  return true;
}

// Returns how many bytes the call of read or write that is being made may transfer. `size` is the
// number of bytes that the caller has requested.
std::size_t allowed(std::size_t size, const char* function) {
  if (size < 2 || !fails(Kind::half)) return size;
  note_hit(function);
  return size / 2;
}

// ---- Recording of effects on the disk

std::vector<Effect>* effects = nullptr;
std::map<std::pair<dev_t, ino_t>, std::uint64_t> numbers;
std::uint64_t last_number = 0;

std::uint64_t fresh_number(const struct stat& status) {
  return numbers[{status.st_dev, status.st_ino}] = ++last_number;
}
std::uint64_t number_of(const struct stat& status) {
  const auto known = numbers.find({status.st_dev, status.st_ino});
  return known == numbers.end() ? fresh_number(status) : known->second;
}
struct stat status_at(int folder, const char* name) {
  static auto* const real = next<decltype(fstatat)>("fstatat");
  struct stat status {};
  real(folder, name, &status, AT_SYMLINK_NOFOLLOW);
  return status;
}
struct stat status_of(int file) {
  static auto* const real = next<decltype(fstat)>("fstat");
  struct stat status {};
  real(file, &status);
  return status;
}

bool recording() { return effects != nullptr && inside_atc(); }

// An object of this class adds effects on the disk to the recording. While such an object exists,
// calls about files are not recorded, because the object makes such calls itself. Its destructor
// restores errno.
class Recording {
 public:
  Recording() : effects_(std::exchange(effects, nullptr)), error_(errno) {}
  ~Recording() {
    effects = effects_;
    errno = error_;
  }
  void add(Effect effect) { effects_->push_back(std::move(effect)); }

 private:
  std::vector<Effect>* const effects_;
  const int error_;
};

}  // namespace

void record(std::vector<Effect>* wanted, const std::string& root) {
  numbers.clear();
  last_number = 0;
  if (wanted != nullptr) {
    const struct stat status = status_at(AT_FDCWD, root.c_str());
    numbers[{status.st_dev, status.st_ino}] = 0;
  }
  effects = wanted;
}

}  // namespace atc_sweep

using namespace atc_sweep;

extern "C" {

int open(const char* path, int flags, ...) {
  static auto* const real = next<int(const char*, int, mode_t)>("open");
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return refused((flags & O_CREAT) != 0 ? Use::create : Use::open, "open")
             ? -1
             : real(path, flags, mode);
}

int openat(int folder, const char* path, int flags, ...) {
  static auto* const real = next<int(int, const char*, int, mode_t)>("openat");
  va_list arguments;
  va_start(arguments, flags);
  const bool creates = (flags & O_CREAT) != 0;
  const mode_t mode = creates ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  if (refused(creates ? Use::create : Use::open, "openat")) return -1;
  const int file = real(folder, path, flags, mode);
  if (file >= 0 && creates && recording()) {
    const std::uint64_t made = fresh_number(status_of(file));
    Recording().add({Effect::What::made_file, number_of(status_of(folder)), made, path, {}, {}});
  }
  return file;
}

FILE* fopen64(const char* path, const char* mode) {
  static auto* const real = next<FILE*(const char*, const char*)>("fopen64");
  return refused(Use::open, "fopen") ? nullptr : real(path, mode);
}

ssize_t read(int file, void* into, size_t size) {
  static auto* const real = next<ssize_t(int, void*, size_t)>("read");
  return refused(Use::read, "read") ? -1 : real(file, into, allowed(size, "read"));
}

ssize_t write(int file, const void* from, size_t size) {
  static auto* const real = next<ssize_t(int, const void*, size_t)>("write");
  if (refused(Use::write, "write")) return -1;
  const ssize_t written = real(file, from, allowed(size, "write"));
  if (written > 0 && recording()) {
    const std::uint64_t number = number_of(status_of(file));
    Recording().add({Effect::What::wrote,
                     0,
                     number,
                     {},
                     {},
                     {static_cast<const char*>(from), static_cast<std::size_t>(written)}});
  }
  return written;
}

int fsync(int file) {
  if (refused(Use::sync, "fsync")) return -1;
  // Nothing is really synced. It is enough to record the sync, because the model of the disk
  // (disk.hpp) decides which data survive a power loss.
  if (recording())
    Recording().add({Effect::What::synced, 0, number_of(status_of(file)), {}, {}, {}});
  return 0;
}

int close(int file) {
  static auto* const real = next<int(int)>("close");
  const bool refuses = refused(Use::close, "close");
  const int error = errno;
  // If the call of close must return an error, the descriptor is closed nevertheless.
  const int result = real(file);
  if (!refuses) return result;
  errno = error;
  return -1;
}

int mkdir(const char* path, mode_t mode) noexcept {
  static auto* const real = next<int(const char*, mode_t)>("mkdir");
  if (refused(Use::change_names, "mkdir")) return -1;
  const int result = real(path, mode);
  if (result == 0 && recording()) {
    Recording recording;
    const std::string whole = path;
    const std::size_t slash = whole.rfind('/');
    const std::uint64_t parent = number_of(status_at(AT_FDCWD, whole.substr(0, slash).c_str()));
    recording.add({Effect::What::made_folder,
                   parent,
                   fresh_number(status_at(AT_FDCWD, path)),
                   whole.substr(slash + 1),
                   {},
                   {}});
  }
  return result;
}

static int change_name(const char* function, Effect::What what, int folder, const char* from,
                       const char* to, int result) {
  (void)function;
  if (result == 0 && recording())
    Recording().add({what, number_of(status_of(folder)), 0, from, to, {}});
  return result;
}

int renameat(int from_folder, const char* from, int to_folder, const char* to) noexcept {
  static auto* const real = next<int(int, const char*, int, const char*)>("renameat");
  if (refused(Use::change_names, "renameat")) return -1;
  return change_name("renameat", Effect::What::renamed, from_folder, from, to,
                     real(from_folder, from, to_folder, to));
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to,
              unsigned flags) noexcept {
  static auto* const real = next<int(int, const char*, int, const char*, unsigned)>("renameat2");
  if (refused(Use::change_names, "renameat2")) return -1;
  return change_name("renameat2", Effect::What::renamed, from_folder, from, to,
                     real(from_folder, from, to_folder, to, flags));
}

int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) noexcept {
  static auto* const real = next<int(int, const char*, int, const char*, int)>("linkat");
  if (refused(Use::change_names, "linkat")) return -1;
  return change_name("linkat", Effect::What::linked, from_folder, from, to,
                     real(from_folder, from, to_folder, to, flags));
}

int unlinkat(int folder, const char* name, int flags) noexcept {
  static auto* const real = next<int(int, const char*, int)>("unlinkat");
  if (refused(Use::change_names, "unlinkat")) return -1;
  return change_name("unlinkat", Effect::What::removed, folder, name, "",
                     real(folder, name, flags));
}

int fstat(int file, struct stat* status) noexcept {
  static auto* const real = next<int(int, struct stat*)>("fstat");
  return refused(Use::look, "fstat") ? -1 : real(file, status);
}

int lstat(const char* path, struct stat* status) noexcept {
  static auto* const real = next<int(const char*, struct stat*)>("lstat");
  return refused(Use::look, "lstat") ? -1 : real(path, status);
}

int stat(const char* path, struct stat* status) noexcept {
  static auto* const real = next<int(const char*, struct stat*)>("stat");
  return refused(Use::look, "stat") ? -1 : real(path, status);
}

int access(const char* path, int mode) noexcept {
  static auto* const real = next<int(const char*, int)>("access");
  return refused(Use::look, "access") ? -1 : real(path, mode);
}

int faccessat(int folder, const char* path, int mode, int flags) noexcept {
  static auto* const real = next<int(int, const char*, int, int)>("faccessat");
  return refused(Use::look, "faccessat") ? -1 : real(folder, path, mode, flags);
}

int futimens(int file, const struct timespec times[2]) noexcept {
  static auto* const real = next<int(int, const struct timespec*)>("futimens");
  return refused(Use::look, "futimens") ? -1 : real(file, times);
}

int utimensat(int folder, const char* path, const struct timespec times[2], int flags) noexcept {
  static auto* const real = next<int(int, const char*, const struct timespec*, int)>("utimensat");
  return refused(Use::look, "utimensat") ? -1 : real(folder, path, times, flags);
}

DIR* fdopendir(int file) {
  static auto* const real = next<DIR*(int)>("fdopendir");
  return refused(Use::open, "fdopendir") ? nullptr : real(file);
}

struct dirent* readdir(DIR* folder) {
  static auto* const real = next<struct dirent*(DIR*)>("readdir");
  return refused(Use::look, "readdir") ? nullptr : real(folder);
}

ssize_t readlink(const char* path, char* into, size_t size) noexcept {
  static auto* const real = next<ssize_t(const char*, char*, size_t)>("readlink");
  return refused(Use::look, "readlink") ? -1 : real(path, into, size);
}

char* realpath(const char* path, char* into) noexcept {
  static auto* const real = next<char*(const char*, char*)>("realpath");
  return refused(Use::look, "realpath") ? nullptr : real(path, into);
}

char* getcwd(char* into, size_t size) noexcept {
  static auto* const real = next<char*(char*, size_t)>("getcwd");
  return refused(Use::look, "getcwd") ? nullptr : real(into, size);
}
}
