// The exception class of the bridge. The C functions turn exceptions into statuses by
// report_thrown(). This file does not use LibTorch, because the loader, which is compiled without
// LibTorch, includes it.
#pragma once

#include <exception>
#include <new>
#include <stdexcept>
#include <string>

#include "atc/base.h"

namespace atc_torch {

// An error with a status of libatc and a text.
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

// Must be called in a catch block of a C function. Sets the last error of this thread to the text
// of the caught exception, and returns the status of the exception.
inline atc_status report_thrown() noexcept {
  try {
    throw;
  } catch (const Failure& failure) {
    return report(failure.status(), failure.what());
  } catch (const std::bad_alloc&) {
    return report(ATC_ERROR_OUT_OF_MEMORY, "out of host memory");
  } catch (const std::exception& error) {
    return report(ATC_ERROR_INTERNAL, error.what());
  } catch (...) {
    return report(ATC_ERROR_INTERNAL,
                  "an exception that is no std::exception reached the boundary");
  }
}

template <typename T>
T& required(T* pointer, const char* name) {
  if (pointer == nullptr)
    throw Failure(ATC_ERROR_INVALID_ARGUMENT, std::string(name) + " is missing: pass it");
  return *pointer;
}

}  // namespace atc_torch
