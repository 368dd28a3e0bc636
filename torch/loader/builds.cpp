#include "builds.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>
#include <vector>

#include "failure.hpp"

namespace atc_torch {

namespace {

namespace fs = std::filesystem;

constexpr const char* kPrefix = "libatc_torch-";
constexpr const char* kGroupPrefix = "libatc_torch_group-";
constexpr const char* kSuffix = ".so";

// Returns the folder of the loader, which contains the builds. If the loader was opened through a
// symbolic link, this is the folder of the link's target.
fs::path folder() {
  Dl_info info;
  std::error_code error;
  if (dladdr(reinterpret_cast<const void*>(&folder), &info) == 0 || info.dli_fname == nullptr)
    return ".";
  const fs::path file = fs::canonical(info.dli_fname, error);
  return (error ? fs::path(info.dli_fname) : file).parent_path();
}

using Version = std::pair<unsigned long, unsigned long>;

// Returns the major and minor version of LibTorch in the file name of a build of the bridge, such
// as {2, 11} for libatc_torch-2.11.so. Returns {0, 0} if this is not the name of a build.
Version version_in(const std::string& name) {
  const std::string prefix = kPrefix, suffix = kSuffix;
  if (name.size() <= prefix.size() + suffix.size() || name.compare(0, prefix.size(), prefix) != 0 ||
      name.compare(name.size() - suffix.size(), suffix.size(), suffix) != 0)
    return {0, 0};
  char* end = nullptr;
  const unsigned long major = std::strtoul(name.c_str() + prefix.size(), &end, 10);
  if (*end != '.') return {0, 0};
  const unsigned long minor = std::strtoul(end + 1, &end, 10);
  return end == suffix ? Version{major, minor} : Version{0, 0};
}

std::vector<Version> builds_in(const fs::path& folder) {
  std::vector<Version> versions;
  std::error_code error;
  for (fs::directory_iterator file(folder, error), end; !error && file != end;
       file.increment(error)) {
    const Version version = version_in(file->path().filename().string());
    if (version != Version{0, 0}) versions.push_back(version);
  }
  std::sort(versions.begin(), versions.end());
  return versions;
}

[[noreturn]] void fail(const std::string& text) { throw Failure(ATC_ERROR_LIBRARY, text); }

[[noreturn]] void fail_without_build(const LibTorch& libtorch) {
  const std::string there = "Builds of the bridge in " + folder().string() +
                            " are for LibTorch: " + versions_of_builds() + ". ";
  if (libtorch.version.empty())
    fail(libtorch.file +
         " does not tell its version, and no build of the bridge is loaded for it. " + there +
         "Use one of these versions");
  fail(libtorch.file + " is LibTorch " + libtorch.version +
       ", for which this atc has no build of the bridge. " + there +
       "Use one of these versions, or build atc with -DATC_LIBTORCH_ROOTS=<the folder that has "
       "this LibTorch's include/>");
}

fs::path file_for(const LibTorch& libtorch, const char* prefix) {
  return folder() / (prefix + libtorch.minor() + kSuffix);
}

bool is_there(const fs::path& file) {
  std::error_code ignored;
  return fs::exists(file, ignored);
}

// Loads a library of the bridge and returns the table of functions that the library exports as the
// symbol `name`. `what` is the name of the library in error messages.
template <typename Table>
const Table& load_table(const fs::path& file, const LibTorch& libtorch, const char* name,
                        const std::string& what) {
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    fail(what + " for LibTorch " + libtorch.minor() + " cannot be loaded with " + libtorch.file +
         ": " + dlerror());
  const auto* const table = static_cast<const Table*>(dlsym(library, name));
  if (table == nullptr)
    fail(file.string() + " is no build of the bridge: it does not export " + name);
  if (table->size < sizeof(Table))
    fail(file.string() + " is of another atc than the loader beside it: install both from one");
  return *table;
}

}  // namespace

std::string versions_of_builds() {
  std::string text;
  for (const auto& [major, minor] : builds_in(folder()))
    text += (text.empty() ? "" : ", ") + std::to_string(major) + "." + std::to_string(minor);
  return text.empty() ? "none" : text;
}

const BuildTable& load_build(const LibTorch& libtorch) {
  const fs::path file = file_for(libtorch, kPrefix);
  if (libtorch.version.empty() || !is_there(file)) fail_without_build(libtorch);
  return load_table<BuildTable>(file, libtorch, kBuildTable, "the bridge's build");
}

const GroupTable& load_groups(const LibTorch& libtorch) {
  const fs::path file = file_for(libtorch, kGroupPrefix);
  if (libtorch.version.empty() || !is_there(file_for(libtorch, kPrefix)))
    fail_without_build(libtorch);
  if (!is_there(file))
    fail(file.string() +
         " is missing, so there are no groups over c10d: the LibTorch that this atc was built for "
         "has no c10d. Open a group over a folder, or build atc for a LibTorch with c10d");
  return load_table<GroupTable>(file, libtorch, kGroupTable, "the bridge's groups over c10d");
}

}  // namespace atc_torch
