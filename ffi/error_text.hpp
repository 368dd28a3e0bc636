// Texts of errors: this thread's last error, and what a callback says while it runs.
#pragma once

#include <cstddef>
#include <string>

#include "atc/base.h"

namespace atc::ffi {

// Bytes of a text with its NUL: two paths of the longest that a system allows and what to do are
// less.
constexpr std::size_t kTextBytes = std::size_t{8} << 10;

// A text of fixed size, so that it can be set when memory is short. Longer texts end at a
// character.
class ErrorText {
 public:
  constexpr ErrorText() = default;
  void set(const char* text) noexcept;
  const char* c_str() const noexcept { return text_; }
  bool empty() const noexcept { return text_[0] == '\0'; }

 private:
  char text_[kTextBytes] = "";
};

// While it lives, atc_error_set of this thread writes here: what a callback says replaces the
// caller's last error only if the call itself fails.
class CallbackScope {
 public:
  CallbackScope() noexcept;
  ~CallbackScope();
  CallbackScope(const CallbackScope&) = delete;
  CallbackScope& operator=(const CallbackScope&) = delete;
  const char* text() const noexcept { return text_; }

  // Of the innermost scope; false where there is none.
  static bool set(const char* text) noexcept;

 private:
  CallbackScope* const outer_;
  // Only the first byte is initialised: a scope costs an execution next to nothing.
  char text_[kTextBytes];
};

// Throws what a callback reported: its status with `who` and its text; Error(internal) for a number
// that is no status.
void check_callback(atc_status status, const CallbackScope& scope, const std::string& who);

// This thread's last error, saved and put back by whoever calls foreign code that uses the C API.
ErrorText& last_error() noexcept;

}  // namespace atc::ffi
