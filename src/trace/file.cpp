#include "trace/file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "core/error.hpp"
#include "core/path_length.hpp"
#include "core/text.hpp"
#include "store/files.hpp"

namespace atc::trace {

namespace {

struct Path {
  std::string folder, name;
};

Path split(const std::string& path) {
  const std::filesystem::path whole(path);
  const std::string folder = whole.parent_path().string();
  return {folder.empty() ? "." : folder, whole.filename().string()};
}

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  fail(Status::io, "a trace cannot be written to '{}': {}", path, why);
}

}  // namespace

std::string path_of(const std::string& pattern) {
  std::string path;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%') {
      path += pattern[i];
      continue;
    }
    const char kind = i + 1 < pattern.size() ? pattern[++i] : '\0';
    if (kind == 'p')
      path += std::to_string(getpid());
    else if (kind == '%')
      path += '%';
    else
      fail(Status::invalid_argument,
           "file is '{}': after a % comes p (the process id) or another %", pattern);
  }
  check_path_length("file", path.size());
  return path;
}

void check_path(const std::string& path) {
  const Path parts = split(path);
  if (parts.name.empty()) refuse(path, "it names no file");
  struct stat status {};
  if (lstat(path.c_str(), &status) == 0) {
    if (!S_ISREG(status.st_mode)) refuse(path, "something else than a regular file is there");
  } else if (errno != ENOENT) {
    refuse(path, store::text_of(errno));
  }
  if (access(parts.folder.c_str(), W_OK | X_OK) != 0)
    refuse(path, parts.folder + ": " + store::text_of(errno));
}

void write(const std::string& path, const Results& results) {
  check_path(path);
  const Path parts = split(path);
  const std::string text = ends_with(parts.name, ".txt") ? to_table(results) : to_json(results);
  const int error = store::write_file(parts.folder + "/.", parts.name, text, {}, nullptr);
  if (error != 0) refuse(path, store::text_of(error));
}

}  // namespace atc::trace
