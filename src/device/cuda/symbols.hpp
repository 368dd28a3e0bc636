// The functions of a library that is open, found by name.
#pragma once

#include <dlfcn.h>

#include <string>

namespace atc::cuda {

// Remembers the first name that was not there; its function is null.
class Symbols {
 public:
  explicit Symbols(void* library) : library_(library) {}

  template <typename Function>
  Symbols& operator()(const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(dlsym(library_, name));
    if (function == nullptr && missing_.empty()) missing_ = name;
    return *this;
  }

  const std::string& missing() const { return missing_; }  // "": all were there

 private:
  void* library_;
  std::string missing_;
};

}  // namespace atc::cuda
