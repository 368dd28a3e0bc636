#include "error_text.hpp"

#include <cstring>
#include <string_view>

#include "core/error.hpp"
#include "guard.hpp"
#include "text.hpp"

namespace atc::ffi {

namespace {

// Copies a text. If the text is too long, its middle is replaced by "…". The beginning of an
// error's text (the place) and its end (the reason and the remedy) are more useful than the middle.
template <std::size_t N>
void copy(char (&to)[N], const char* text) noexcept {
  constexpr std::string_view kLeftOut = " … ";
  const std::string_view whole = text == nullptr ? "" : text;
  if (whole.size() < N) return copy_text(to, whole);
  const std::size_t half = (N - 1 - kLeftOut.size()) / 2;
  std::size_t size = fitting(whole, half + 1);
  const auto add = [&](std::string_view part) {
    std::memcpy(to + size, part.data(), part.size());
    size += part.size();
  };
  std::size_t rest = whole.size() - half;
  while (rest < whole.size() && (static_cast<unsigned char>(whole[rest]) & 0xC0U) == 0x80U) ++rest;
  std::memmove(to, whole.data(), size);
  add(kLeftOut);
  add(whole.substr(rest));
  to[size] = '\0';
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
  if (status < 0 || status > ATC_ERROR_NOT_AGREED)
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
