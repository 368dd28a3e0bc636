#include "libtorch.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstdint>

#include "failure.hpp"

namespace atc_torch {

namespace {

constexpr const char* kLibTorch = "libtorch_cpu.so";

// Opens LibTorch. If LibTorch is already loaded, dlopen finds it by its name, whichever folder it
// was loaded from. Otherwise the dynamic linker loads LibTorch from its search path. The handle is
// never closed, because LibTorch keeps pointers to the hooks of the bridge.
void* open_libtorch() {
  void* const found = dlopen(kLibTorch, RTLD_NOW | RTLD_LOCAL);
  if (found == nullptr)
    throw Failure(ATC_ERROR_LIBRARY,
                  std::string("no LibTorch is loaded, and the dynamic linker finds none: ") +
                      dlerror() +
                      ": link LibTorch, import torch first, or put LibTorch's folder lib into "
                      "LD_LIBRARY_PATH");
  return found;
}

std::string file_of(void* library) {
  link_map* map = nullptr;
  return dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 ? map->l_name : kLibTorch;
}

// Returns the version of LibTorch. Asks a C function of LibTorch's stable ABI, because LibTorch's
// C++ functions may differ between versions. The C function returns the version as one number with
// a byte for each part.
std::string version_of(void* library) {
  using AbiVersion = std::uint64_t (*)();
  const auto ask = reinterpret_cast<AbiVersion>(dlsym(library, "aoti_torch_abi_version"));
  if (ask == nullptr) return "";
  const std::uint64_t packed = ask();
  const auto part = [&](int shift) { return std::to_string((packed >> shift) & 0xff); };
  return part(56) + "." + part(48) + "." + part(40);
}

}  // namespace

std::string LibTorch::minor() const { return version.substr(0, version.rfind('.')); }

LibTorch find_libtorch() {
  void* const library = open_libtorch();
  return {file_of(library), version_of(library)};
}

}  // namespace atc_torch
