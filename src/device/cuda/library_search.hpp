// Searches for CUDA's libraries, in this order: the library path, libraries that the process has
// loaded already, Python wheels beside LibTorch, the system's folders.
#pragma once

#include <string>
#include <vector>

namespace atc::cuda {

struct FoundLibrary {
  void* handle = nullptr;
  std::string file;
  std::string trouble;  // if no library was found, the last message of the dynamic loader
};

struct WantedLibrary {
  std::vector<const char*> names;  // best one first
  // Folders of Python wheels that contain the library, relative to the folder that holds torch/.
  std::vector<const char*> wheel_folders;
  bool shared_symbols =
      false;  // true if libraries that are opened later may use the library's symbols
};

// Opens a library. Tries every name in one place before it goes on to the next place. From then on
// the library path cannot be changed.
FoundLibrary find_library(const WantedLibrary& wanted);

// Returns the path of the file that dlopen opened for this handle, or "".
std::string file_of(void* handle);

}  // namespace atc::cuda
