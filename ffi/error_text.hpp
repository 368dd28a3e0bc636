// Texts of errors: the last error of a thread, and the text that a callback sets by atc_error_set
// while the callback runs.
#pragma once

#include <cstddef>
#include <string>

#include "atc/base.h"
#include "core/inside.hpp"

namespace atc::ffi {

// The size of the buffer of an error's text in bytes, including the NUL. The size suffices for a
// message with one long path (Linux allows 4 KiB for a path).
constexpr std::size_t kTextBytes = std::size_t{8} << 10;

// A text in a buffer of fixed size, so that an error's text can be set even if no memory is left.
// If the text does not fit, its middle is replaced by "…". No character is cut in two.
class ErrorText {
 public:
  constexpr ErrorText() = default;
  void set(const char* text) noexcept;
  const char* c_str() const noexcept { return text_; }
  bool empty() const noexcept { return text_[0] == '\0'; }

 private:
  char text_[kTextBytes] = "";
};

// Marks a callback that this thread is running. As long as the object lives, atc_error_set writes
// the given text into the object, not into the thread's last error. So a callback changes the last
// error that the caller sees only if the call of atc fails.
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
  // Only the first byte is initialised, because a scope is made for each execution of a registered
  // engine: initialising 8 KiB would take time.
  char text_[kTextBytes];
};

// Checks the status that a callback returned. Throws Error for each status except ATC_OK. The error
// has the callback's status, and its text consists of `who` and the scope's text. If the number is
// not a status of atc, Error(internal) is thrown.
void check_callback(atc_status status, const CallbackScope& scope, const std::string& who);

// Returns the last error of this thread. Foreign code (such as a callback) may use the C API, which
// changes the last error. So code that calls foreign code saves the last error before the call and
// restores it afterwards.
ErrorText& last_error() noexcept;

}  // namespace atc::ffi
