#include "error_text.hpp"

#include <cstring>

#include "core/error.hpp"
#include "guard.hpp"
#include "text.hpp"

namespace atc::ffi {

namespace {

// Reads no more of a text than fits.
template <std::size_t N>
void copy(char (&to)[N], const char* text) noexcept {
  if (text == nullptr) text = "";
  copy_text(to, {text, strnlen(text, N)});
}

thread_local CallbackScope* innermost = nullptr;

}  // namespace

void ErrorText::set(const char* text) noexcept { copy(text_, text); }

ErrorText& last_error() noexcept {
  thread_local ErrorText text;
  return text;
}

void set_last_error(const char* text) noexcept { last_error().set(text); }

CallbackScope::CallbackScope(Callback callback) noexcept : inside_(callback), outer_(innermost) {
  text_[0] = '\0';
  innermost = this;
}

CallbackScope::~CallbackScope() { innermost = outer_; }

void check_callback(atc_status status, const CallbackScope& scope, const std::string& who) {
  if (status == ATC_OK) return;
  if (status < 0 || status > ATC_ERROR_INTERNAL)
    fail(Status::internal, "{} returned {}, which is no status of atc: use ATC_OK or ATC_ERROR_*",
         who, status);
  fail(static_cast<Status>(status), "{}: {}", who,
       scope.text()[0] != '\0' ? scope.text() : atc_status_name(status));
}

bool CallbackScope::set(const char* text) noexcept {
  if (innermost == nullptr) return false;
  copy(innermost->text_, text);
  return true;
}

}  // namespace atc::ffi
