#include "device/cuda/library_search.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstring>
#include <vector>

#include "core/settings.hpp"

namespace atc::cuda {

namespace {

// The folder that holds torch/lib/libc10.so of a LibTorch in this process, or "".
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

std::string file_of(void* handle) {
  link_map* map = nullptr;
  return dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 ? map->l_name : "";
}

}  // namespace

FoundLibrary find_library(const char* name, const char* wheel_folder) {
  std::vector<std::string> folders = settle_library_path();
  FoundLibrary found;
  const auto open = [&](const std::string& file, int flags) {
    found.handle = dlopen(file.c_str(), flags);
    if (found.handle != nullptr) {
      found.file = file_of(found.handle);
      return true;
    }
    const char* const said = dlerror();
    if ((flags & RTLD_NOLOAD) == 0 && said != nullptr) found.trouble = said;
    return false;
  };
  // cuDNN opens its parts by name when it needs them: they must find the dispatcher that is there.
  constexpr int kOpen = RTLD_NOW | RTLD_GLOBAL;
  for (const std::string& folder : folders)
    if (open(folder + "/" + name, kOpen)) return found;
  if (open(name, RTLD_NOW | RTLD_NOLOAD)) return found;
  const std::string torch = beside_libtorch();
  if (!torch.empty() && open(torch + "/" + wheel_folder + "/" + name, kOpen)) return found;
  open(name, kOpen);
  return found;
}

}  // namespace atc::cuda
