// Texts of errors: the last error of a thread, and the text that a callback sets by atc_error_set
// while the callback runs.
#pragma once

#include <cstddef>
#include <string>

#include "atc/base.h"
#include "core/inside.hpp"

namespace atc::ffi {

// The size of the buffer of an error's text in bytes, including the NUL. A message with one path of
// the largest length fits (Linux allows 4 KiB for a path).
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

// An object of this class exists while this thread runs a callback of the user. As long as the
// object lives, atc_error_set writes its text into the object, not into the thread's last error. So
// a callback changes the last error only if the function of atc that called it fails, too.
class CallbackScope {
 public:
  explicit CallbackScope(Callback callback) noexcept;
  ~CallbackScope();
  CallbackScope(const CallbackScope&) = delete;
  CallbackScope& operator=(const CallbackScope&) = delete;
  const char* text() const noexcept { return text_; }

  // Writes the text into the thread's innermost CallbackScope (callbacks may be nested). Returns
  // false if this thread runs no callback.
  static bool set(const char* text) noexcept;

 private:
  const InsideScope inside_;
  CallbackScope* const outer_;
  // The constructor sets only the first byte to 0. It runs at each execution of a registered
  // engine, and setting all 8 KiB would take time.
  char text_[kTextBytes];
};

// Throws an Error if `status`, which a callback has returned, is not ATC_OK. The Error has this
// status. Its text consists of `who` (the name of the callback) and the text that the callback has
// set by atc_error_set. If `status` is no status of atc, throws Error(internal).
void check_callback(atc_status status, const CallbackScope& scope, const std::string& who);

// Returns the last error of this thread. Foreign code (such as a callback) may use the C API, which
// changes the last error. So code that calls foreign code saves the last error before the call and
// restores it afterwards.
ErrorText& last_error() noexcept;

}  // namespace atc::ffi
