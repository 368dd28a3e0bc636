// Each function of the C interface that can fail runs its body in one of the functions below. These
// functions catch the exceptions of the C++ core and return a status for each.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <cstring>
#include <new>
#include <system_error>

#include "atc/base.h"
#include "core/error.hpp"
#include "core/inside.hpp"
#include "core/path_length.hpp"
#include "user_data.hpp"

namespace atc::ffi {

// Sets this thread's last error. The text is copied into a buffer of fixed size, so that the error
// can be set even if no memory is left. If the text is too long, its middle is left out.
void set_last_error(const char* text) noexcept;

// Postpones pthread_cancel as long as the object lives. A cancelled thread unwinds its stack. This
// unwinding must not be stopped by the `catch (...)` below, and it would end a race (the timing of
// candidates) half-way. A postponed cancellation takes effect at the thread's first cancellation
// point after the call of atc.
class CancellationHeld {
 public:
  CancellationHeld() noexcept { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~CancellationHeld() { pthread_setcancelstate(before_, nullptr); }
  CancellationHeld(const CancellationHeld&) = delete;
  CancellationHeld& operator=(const CancellationHeld&) = delete;

 private:
  int before_ = PTHREAD_CANCEL_ENABLE;
};

// Runs the body of a C function that takes no lock of atc. Such a function may also be called
// inside the log sink (the callback for log lines), where the thread may hold any lock of atc.
template <typename Body>
atc_status guard_anywhere(Body&& body) noexcept {
  const CancellationHeld held;
  const ApiCall call;
  try {
    body();
    return ATC_OK;
  } catch (const Error& error) {
    set_last_error(error.what());
    return static_cast<atc_status>(error.status());
  } catch (const std::bad_alloc&) {
    set_last_error("out of host memory");
    return ATC_ERROR_OUT_OF_MEMORY;
  } catch (const std::exception& error) {
    set_last_error(error.what());
    return ATC_ERROR_INTERNAL;
  } catch (...) {
    set_last_error("an exception that is no std::exception reached the boundary");
    return ATC_ERROR_INTERNAL;
  }
}

template <typename Body>
atc_status guard(Body&& body) noexcept {
  return guard_anywhere([&] {
    require_outside(Callback::log_sink, "lines may be logged under any lock of atc");
    body();
  });
}

// Runs the body of a destroy function, which cannot fail.
template <typename Body>
void guard_void(Body&& body) noexcept {
  const CancellationHeld held;
  const ApiCall call;
  try {
    body();
  } catch (...) {
  }
}

template <typename T>
T& required(T* pointer, const char* name) {
  if (pointer == nullptr) fail(Status::invalid_argument, "{} is missing: pass it", name);
  return *pointer;
}

// Returns the element with the index `index`. Throws Error(invalid_argument) if there is none. The
// text of the error calls the element `what`.
template <typename Elements>
const auto& checked_element(const Elements& elements, std::size_t index, const char* what) {
  if (index >= elements.size())
    fail(Status::invalid_argument, "the {}'s index is {}, there are {}", what, index,
         elements.size());
  return elements[index];
}

inline const char* checked_path(const char* path, const char* name) {
  check_path_length(name, std::strlen(&required(path, name)));
  return path;
}

}  // namespace atc::ffi
