// Converts errors in both directions: guard() turns exceptions of LibTorch and of the bridge into
// the statuses that C functions return, and check() turns statuses of libatc into exceptions.
#pragma once

#include <c10/util/Exception.h>

#include <string>

#include "failure.hpp"

namespace atc_torch {

// Thrown in place of the status ATC_ERROR_NOT_TUNED. A convolution that LibTorch has called may
// throw this exception, and programs expect a c10::Error from LibTorch. So the class is derived
// from c10::Error.
class NotTuned : public c10::Error {
  using c10::Error::Error;
};

// Throws Failure if `status` (returned by libatc) is not ATC_OK. The Failure has this status and
// the text of this thread's last error.
inline void check(atc_status status) {
  if (status != ATC_OK) throw Failure(status, atc_last_error());
}

// Thrown if an implementation that the user has prescribed (by an option or a pin) cannot be used.
// In this case LibTorch's own convolution must not run as a substitute. Derived from c10::Error for
// the same reason as NotTuned.
class NotObeyed : public c10::Error {
 public:
  NotObeyed(c10::SourceLocation place, const Failure& failure)
      : c10::Error(place, failure.what()), status_(failure.status()) {}
  atc_status status() const { return status_; }

 private:
  atc_status status_;
};

// Runs `body` and turns its exceptions into statuses. An error of LibTorch (c10::Error) becomes
// ATC_ERROR_INVALID_ARGUMENT, because LibTorch throws it if it refuses the arguments of the call.
template <typename Body>
atc_status guard(Body&& body) noexcept {
  try {
    body();
    return ATC_OK;
  } catch (const NotTuned& error) {
    return report(ATC_ERROR_NOT_TUNED, error.what_without_backtrace());
  } catch (const NotObeyed& error) {
    return report(error.status(), error.what_without_backtrace());
  } catch (const c10::OutOfMemoryError& error) {
    return report(ATC_ERROR_OUT_OF_MEMORY, error.what_without_backtrace());
  } catch (const c10::Error& error) {
    return report(ATC_ERROR_INVALID_ARGUMENT, error.what_without_backtrace());
  } catch (...) {
    return report_thrown();
  }
}

}  // namespace atc_torch
