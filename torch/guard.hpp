// Turns exceptions of LibTorch and the bridge into statuses of the C boundary, and libatc's
// statuses into exceptions.
#pragma once

#include <c10/util/Exception.h>

#include <string>

#include "failure.hpp"

namespace atc_torch {

// ATC_ERROR_NOT_TUNED as an exception that can pass through LibTorch, whose callers expect
// c10::Error.
class NotTuned : public c10::Error {
  using c10::Error::Error;
};

// Throws a Failure with the status that libatc returned and this thread's last error text.
inline void check(atc_status status) {
  if (status != ATC_OK) throw Failure(status, atc_last_error());
}

// A failure of libatc other than NotTuned after which LibTorch's own convolution must not run as a
// substitute. The exception can pass through LibTorch.
class NotObeyed : public c10::Error {
 public:
  NotObeyed(c10::SourceLocation place, const Failure& failure)
      : c10::Error(place, failure.what()), status_(failure.status()) {}
  atc_status status() const { return status_; }

 private:
  atc_status status_;
};

// Runs `body` and turns its exceptions into a status. LibTorch's own errors become
// ATC_ERROR_INVALID_ARGUMENT, because they are about the arguments of the call.
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
