// Searches for CUDA's libraries in this order: the folders of the library path (a setting of atc),
// libraries that the process has already loaded, Python wheels beside LibTorch, the system's
// folders.
#pragma once

#include <string>
#include <vector>

namespace atc::cuda {

struct FoundLibrary {
  void* handle = nullptr;
  std::string file;
  std::string trouble;  // if no library was found: the last error text of the dynamic loader
};

struct WantedLibrary {
  std::vector<const char*> names;  // the best name first
  // Folders in which Python wheels install the library, relative to the folder that contains
  // torch/.
  std::vector<const char*> wheel_folders;
  // Whether libraries that are opened later may use the symbols of this library.
  bool shared_symbols = false;
};

// Opens a library. The library may have several file names: all of them are tried in one place
// before the next place is searched. After this call the setting "library path" cannot be changed.
FoundLibrary find_library(const WantedLibrary& wanted);

// Returns the path of the file that dlopen opened for this handle, or "".
std::string file_of(void* handle);

}  // namespace atc::cuda
