// Looks up the functions of an opened library by name.
#pragma once

#include <dlfcn.h>

#include <string>

namespace atc::cuda {

// Sets a function pointer to null if the library does not have the function, and remembers the name
// of the first missing function.
class Symbols {
 public:
  explicit Symbols(void* library) : library_(library) {}

  template <typename Function>
  Symbols& operator()(const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(dlsym(library_, name));
    if (function == nullptr && missing_.empty()) missing_ = name;
    return *this;
  }

  // Returns the name of the first missing function, or "".
  const std::string& missing() const { return missing_; }

 private:
  void* library_;
  std::string missing_;
};

}  // namespace atc::cuda
