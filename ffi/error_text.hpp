// Texts of errors: this thread's last error, and the text that a callback sets while it runs.
#pragma once

#include <cstddef>
#include <string>

#include "atc/base.h"
#include "core/inside.hpp"

namespace atc::ffi {

// Bytes of a text, including its NUL. They suffice for a message with long paths (Linux allows 4
// KiB for each path).
constexpr std::size_t kTextBytes = std::size_t{8} << 10;

// A text in a buffer of fixed size. It can be set even if no memory is left. A longer text loses
// its middle; no character is cut in two.
class ErrorText {
 public:
  constexpr ErrorText() = default;
  void set(const char* text) noexcept;
  const char* c_str() const noexcept { return text_; }
  bool empty() const noexcept { return text_[0] == '\0'; }

 private:
  char text_[kTextBytes] = "";
};

// While an object lives, this thread is inside a callback, and atc_error_set writes its text into
// the object. So a callback changes the caller's last error only if the call of atc itself fails.
class CallbackScope {
 public:
  explicit CallbackScope(Callback callback) noexcept;
  ~CallbackScope();
  CallbackScope(const CallbackScope&) = delete;
  CallbackScope& operator=(const CallbackScope&) = delete;
  const char* text() const noexcept { return text_; }

  // Sets the text of the thread's innermost scope. Returns false if there is no scope.
  static bool set(const char* text) noexcept;

 private:
  const InsideScope inside_;
  CallbackScope* const outer_;
  // Only the first byte is initialised, so that a scope adds almost nothing to the time of an
  // execution.
  char text_[kTextBytes];
};

// Throws Error for every status except ATC_OK. The error has the callback's status, and a text of
// `who` and the scope's text. If the number is not a status, throws Error(internal).
void check_callback(atc_status status, const CallbackScope& scope, const std::string& who);

// This thread's last error. Callers of foreign code, which may use the C API, save the last error
// before the call and restore it afterwards.
ErrorText& last_error() noexcept;

}  // namespace atc::ffi
