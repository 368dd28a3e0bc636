#include "atc/base.h"

#include <array>

#include "bytes.hpp"
#include "error_text.hpp"
#include "guard.hpp"

namespace {

using atc::Status;

constexpr std::array kStatusNames = {"ATC_OK",
                                     "ATC_ERROR_INVALID_ARGUMENT",
                                     "ATC_ERROR_UNSUPPORTED",
                                     "ATC_ERROR_NOT_TUNED",
                                     "ATC_ERROR_OUT_OF_MEMORY",
                                     "ATC_ERROR_DEVICE",
                                     "ATC_ERROR_LIBRARY",
                                     "ATC_ERROR_IO",
                                     "ATC_ERROR_BAD_RECORD",
                                     "ATC_ERROR_CAPTURING",
                                     "ATC_ERROR_BUSY",
                                     "ATC_ERROR_CANCELLED",
                                     "ATC_ERROR_INTERNAL",
                                     "ATC_ERROR_NOT_AGREED"};
static_assert(kStatusNames.size() == ATC_ERROR_NOT_AGREED + 1);

constexpr bool same(Status status, int number) { return static_cast<int>(status) == number; }
static_assert(same(Status::ok, ATC_OK));
static_assert(same(Status::invalid_argument, ATC_ERROR_INVALID_ARGUMENT));
static_assert(same(Status::unsupported, ATC_ERROR_UNSUPPORTED));
static_assert(same(Status::not_tuned, ATC_ERROR_NOT_TUNED));
static_assert(same(Status::out_of_memory, ATC_ERROR_OUT_OF_MEMORY));
static_assert(same(Status::device, ATC_ERROR_DEVICE));
static_assert(same(Status::library, ATC_ERROR_LIBRARY));
static_assert(same(Status::io, ATC_ERROR_IO));
static_assert(same(Status::bad_record, ATC_ERROR_BAD_RECORD));
static_assert(same(Status::capturing, ATC_ERROR_CAPTURING));
static_assert(same(Status::busy, ATC_ERROR_BUSY));
static_assert(same(Status::cancelled, ATC_ERROR_CANCELLED));
static_assert(same(Status::internal, ATC_ERROR_INTERNAL));
static_assert(same(Status::not_agreed, ATC_ERROR_NOT_AGREED));

#define ATC_TEXT_OF(number) #number
#define ATC_TEXT(number) ATC_TEXT_OF(number)
constexpr const char* kVersion =
    ATC_TEXT(ATC_VERSION_MAJOR) "." ATC_TEXT(ATC_VERSION_MINOR) "." ATC_TEXT(ATC_VERSION_PATCH);
static_assert(ATC_VERSION ==
              ATC_VERSION_MAJOR * 10000 + ATC_VERSION_MINOR * 100 + ATC_VERSION_PATCH);

}  // namespace

extern "C" {

const char* atc_status_name(atc_status status) noexcept {
  if (status < 0 || static_cast<std::size_t>(status) >= kStatusNames.size())
    return "unknown status";
  return kStatusNames[static_cast<std::size_t>(status)];
}

const char* atc_last_error(void) noexcept { return atc::ffi::last_error().c_str(); }

void atc_error_set(const char* text) noexcept {
  if (!atc::ffi::CallbackScope::set(text)) atc::ffi::set_last_error(text);
}

uint32_t atc_version(void) noexcept { return ATC_VERSION; }
const char* atc_version_string(void) noexcept { return kVersion; }
uint32_t atc_abi_version(void) noexcept { return ATC_ABI_VERSION; }

const char* atc_bytes_data(const atc_bytes* bytes) noexcept {
  return bytes == nullptr ? nullptr : bytes->text.c_str();
}

size_t atc_bytes_size(const atc_bytes* bytes) noexcept {
  return bytes == nullptr ? 0 : bytes->text.size();
}

void atc_bytes_destroy(atc_bytes* bytes) noexcept { delete bytes; }

}  // extern "C"
