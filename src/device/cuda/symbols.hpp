// Looks up the functions of an opened library by name.
#pragma once

#include <dlfcn.h>

#include <string>

namespace atc::cuda {

// Sets function pointers to the functions of a library. The pointer of a function that the library
// does not have becomes null. The name of the first such function is remembered.
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
