#include <algorithm>
#include <mutex>

#include "core/environment.hpp"
#include "core/error.hpp"
#include "core/path_length.hpp"
#include "core/settings.hpp"

namespace atc {

namespace {

struct LibraryPath {
  std::mutex mutex;
  std::string directories = environment_folders("ATC_LIBRARY_PATH").value_or("");
  bool settled = false;
};

LibraryPath& state() {
  // This static object is never destroyed, because it is also used while the process exits.
  static auto* const path = new LibraryPath;
  return *path;
}

std::vector<std::string> split(const std::string& directories) {
  std::vector<std::string> parts;
  std::size_t from = 0;
  while (from <= directories.size()) {
    const std::size_t to = std::min(directories.find(':', from), directories.size());
    if (to > from) parts.push_back(directories.substr(from, to - from));
    from = to + 1;
  }
  return parts;
}

}  // namespace

void set_library_path(const std::string& directories) {
  for (const std::string& folder : split(directories))
    check_path_length("a folder of library_path", folder.size());
  LibraryPath& path = state();
  const std::lock_guard lock(path.mutex);
  if (path.settled)
    fail(
        Status::busy,
        "library_path cannot become '{}': libraries were already looked for in '{}', set it before "
        "the first call that needs CUDA",
        directories, path.directories);
  path.directories = directories;
}

std::string library_path() {
  const std::lock_guard lock(state().mutex);
  return state().directories;
}

std::vector<std::string> settle_library_path() {
  const std::lock_guard lock(state().mutex);
  state().settled = true;
  return split(state().directories);
}

}  // namespace atc
