#include "device/cuda/library_search.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstring>
#include <vector>

#include "core/settings.hpp"

namespace atc::cuda {

namespace {

// Returns the folder that contains torch/lib/libc10.so, if LibTorch is loaded in this process.
// Otherwise returns "".
std::string beside_libtorch() {
  std::string folder;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        constexpr const char* kPart = "/torch/lib/libc10.so";
        const char* const at = std::strstr(info->dlpi_name, kPart);
        if (at == nullptr) return 0;
        static_cast<std::string*>(data)->assign(info->dlpi_name, at);
        return 1;
      },
      &folder);
  return folder;
}

}  // namespace

std::string file_of(void* handle) {
  link_map* map = nullptr;
  return dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 ? map->l_name : "";
}

FoundLibrary find_library(const WantedLibrary& wanted) {
  FoundLibrary found;
  const auto open = [&](const std::string& folder, int flags) {
    for (const char* name : wanted.names) {
      found.handle = dlopen((folder + name).c_str(), flags);
      if (found.handle != nullptr) {
        found.file = file_of(found.handle);
        return true;
      }
      const char* const said = dlerror();
      if ((flags & RTLD_NOLOAD) == 0 && said != nullptr) found.trouble = said;
    }
    return false;
  };
  const int flags = RTLD_NOW | (wanted.shared_symbols ? RTLD_GLOBAL : RTLD_LOCAL);
  for (const std::string& folder : settle_library_path())
    if (open(folder + "/", flags)) return found;
  if (open("", RTLD_NOW | RTLD_NOLOAD)) return found;
  if (const std::string torch = beside_libtorch(); !torch.empty())
    for (const char* folder : wanted.wheel_folders)
      if (open(torch + "/" + folder + "/", flags)) return found;
  open("", flags);
  return found;
}

}  // namespace atc::cuda
