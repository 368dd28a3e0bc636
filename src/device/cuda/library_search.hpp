// Where CUDA's libraries are looked for: the library path, what the process has loaded already, the
// wheels beside LibTorch, the system.
#pragma once

#include <string>
#include <vector>

namespace atc::cuda {

struct FoundLibrary {
  void* handle = nullptr;
  std::string file;
  std::string trouble;  // what the loader said last, where nothing was found
};

struct WantedLibrary {
  std::vector<const char*> names;  // the one that is liked best first
  // Of the wheels that bring it, relative to the folder that holds torch/.
  std::vector<const char*> wheel_folders;
  bool shared_symbols = false;  // whether libraries that are opened later may use its symbols
};

// In each place every name is tried before the next place is. Settles the library path.
FoundLibrary find_library(const WantedLibrary& wanted);

// The file that a handle of dlopen stands for.
std::string file_of(void* handle);

}  // namespace atc::cuda
