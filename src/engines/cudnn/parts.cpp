#include "engines/cudnn/parts.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

#include "core/format.hpp"
#include "device/cuda/library_search.hpp"

namespace atc::cudnn {

namespace {

namespace fs = std::filesystem;

struct Part {
  const char* name;
  // The function by which this library of cuDNN checks its version. The pointer is null if the
  // library has no such function.
  Status (*Api::*check)();
  // Whether convolutions use this library of cuDNN.
  bool convolves;
  // Whether convolutions need this library of cuDNN in each version of cuDNN 9.
  bool vital;
};

constexpr Part kParts[] = {
    {"graph", &Api::graph_check, true, true},
    {"ops", &Api::ops_check, true, true},
    {"cnn", &Api::cnn_check, true, false},
    {"heuristic", nullptr, true, false},
    {"engines_precompiled", nullptr, true, false},
    {"engines_runtime_compiled", nullptr, true, false},
    {"engines_tensor_ir", nullptr, true, false},  // since version 9.21
    {"adv", &Api::adv_check, false, false},
    // This library of cuDNN is for operations that are not described as graphs. It exists since
    // cuDNN 9.22. An older cuDNN has neither the library nor its check.
    {"ext", &Api::ext_check, false, false},
};

std::string file_name(const Part& part) { return format("libcudnn_{}.so.9", part.name); }

void* loaded(const Part& part) { return dlopen(file_name(part).c_str(), RTLD_NOW | RTLD_NOLOAD); }

// Returns two folders: the folder of the file itself, and, if the file is a link, the folder of the
// file to which it links. If the file is no link, both are the same.
std::array<fs::path, 2> folders_of(const std::string& file) {
  std::error_code ignored;
  return {fs::path(file).parent_path(), fs::canonical(file, ignored).parent_path()};
}

void* open(const Part& part, const std::string& file) {
  if (void* const handle = loaded(part)) return handle;
  for (const fs::path& folder : folders_of(file))
    if (void* const handle = dlopen((folder / file_name(part)).c_str(), RTLD_NOW | RTLD_GLOBAL))
      return handle;
  return nullptr;
}

// Opens a library of cuDNN by its name alone, so that the dynamic loader searches for it. cuDNN
// does the same if its own folder does not have the library.
void* open_anywhere(const Part& part) {
  return dlopen(file_name(part).c_str(), RTLD_NOW | RTLD_GLOBAL);
}

bool is_beside(const std::string& file, const Part& part) {
  const auto folders = folders_of(file);
  return std::any_of(folders.begin(), folders.end(), [&](const fs::path& folder) {
    std::error_code ignored;
    return fs::exists(folder / file_name(part), ignored);
  });
}

bool is_divided(const std::string& file) {
  return std::any_of(std::begin(kParts), std::end(kParts),
                     [&](const Part& part) { return is_beside(file, part); });
}

// If the process has already loaded a library with the part's name from another installation, the
// part in the folder of `file` cannot be loaded. In this case returns the path of the loaded
// library. Otherwise returns "". Two files of the same size count as the same library.
std::string in_the_way(const Part& part, const std::string& file) {
  void* const handle = loaded(part);
  if (handle == nullptr) return "";
  const fs::path found = cuda::file_of(handle);
  std::error_code error;
  for (const fs::path& folder : folders_of(file)) {
    const fs::path own = folder / file_name(part);
    if (!fs::exists(own, error) || fs::equivalent(own, found, error)) continue;
    if (fs::file_size(own, error) != fs::file_size(found, error)) return found;
  }
  return "";
}

constexpr const char* kCure =
    "all must come from one install: take the other one out of LD_LIBRARY_PATH, or name the folder "
    "of one with ATC_LIBRARY_PATH";

}  // namespace

std::string open_first_part(const std::string& file) {
  const Part& first = kParts[0];
  if (is_divided(file) && open(first, file) == nullptr && open_anywhere(first) == nullptr)
    return format(
        "install all of cuDNN, or name the folder of another one with ATC_LIBRARY_PATH: {} lacks "
        "its part {}",
        file, file_name(first));
  return "";
}

std::vector<std::string> misfits(const Api& api, const std::string& file, bool all) {
  // The parts of cuDNN (libraries such as libcudnn_ops) are opened here by their full paths. cuDNN
  // later opens them by their names alone, and then gets the files that are already loaded.
  for (const Part& part : kParts)
    if (part.convolves || all) open(part, file);
  std::vector<std::string> sentences;
  for (const Part& part : kParts) {
    if (!part.convolves && !all) continue;
    // A part is a library such as libcudnn_ops. If another file has been loaded in place of a part,
    // cuDNN uses this file without comparing the versions. The checks below would then examine the
    // wrong file, so they are not made.
    if (const std::string other = in_the_way(part, file); !other.empty())
      return {
          format("{} finds {} in the process in place of its own part: {}", file, other, kCure)};
    if (part.check == nullptr || api.*part.check == nullptr) continue;
    // A part is a library such as libcudnn_ops. cuDNN's function that checks a part ends the
    // process if the part cannot be opened. So atc opens the part first.
    if (loaded(part) == nullptr && open_anywhere(part) == nullptr && is_divided(file)) {
      if (part.vital || all)
        sentences.push_back(format("{} lacks its part {}{}", file, file_name(part),
                                   part.vital ? "" : ", which convolutions may do without"));
      continue;
    }
    const Status status = (api.*part.check)();
    if (status == kSuccess) continue;
    void* const handle = loaded(part);
    const std::string what = handle != nullptr ? cuda::file_of(handle) : file_name(part);
    if (status == kVersionMismatch)
      sentences.push_back(format("{} and its part {} are of different versions (status {}): {}",
                                 file, what, status, kCure));
    else
      sentences.push_back(format("{} cannot use its part {}: {} (status {})", file, what,
                                 api.error_name(status), status));
  }
  return sentences;
}

std::string mixture() {
  std::vector<std::string> folders;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& folders = *static_cast<std::vector<std::string>*>(data);
        const std::string file = info->dlpi_name;
        const std::size_t slash = file.rfind('/');
        if (slash == std::string::npos || file.compare(slash + 1, 8, "libcudnn") != 0) return 0;
        // Links are followed, so that one folder with two paths (/lib is often a link to /usr/lib)
        // counts once.
        std::error_code error;
        const fs::path real = fs::canonical(file.substr(0, slash), error);
        const std::string folder = error ? file.substr(0, slash) : real.string();
        if (std::find(folders.begin(), folders.end(), folder) == folders.end())
          folders.push_back(folder);
        return 0;
      },
      &folders);
  if (folders.size() < 2) return "";
  return format("parts of cuDNN are loaded from {}: {}", joined(folders, ", "), kCure);
}

}  // namespace atc::cudnn
