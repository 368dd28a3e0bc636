// A failure of the bridge's own, and what every function at the C boundary does with one. Knows no
// LibTorch: the loader uses it too.
#pragma once

#include <stdexcept>
#include <string>

#include "atc/base.h"

namespace atc_torch {

// A status and the sentence that goes with it.
class Failure : public std::runtime_error {
 public:
  Failure(atc_status status, const std::string& text) : std::runtime_error(text), status_(status) {}
  atc_status status() const { return status_; }

 private:
  atc_status status_;
};

inline atc_status report(atc_status status, const char* text) noexcept {
  atc_error_set(text);
  return status;
}

template <typename T>
T& required(T* pointer, const char* name) {
  if (pointer == nullptr)
    throw Failure(ATC_ERROR_INVALID_ARGUMENT, std::string(name) + " is NULL: pass a valid pointer");
  return *pointer;
}

}  // namespace atc_torch
