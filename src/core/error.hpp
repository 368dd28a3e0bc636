// The exception that operations of the core throw if they fail. It has a status of the C ABI, and a
// sentence that states the wrong value and a way out.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "core/format.hpp"

namespace atc {

// The values equal `atc_status` in include/atc/base.h (ffi/base.cpp asserts this). New values may
// be added, but no value may be changed or removed.
enum class Status : std::int32_t {
  ok = 0,
  invalid_argument = 1,
  unsupported = 2,
  not_tuned = 3,
  out_of_memory = 4,
  device = 5,
  library = 6,
  io = 7,
  bad_record = 8,
  capturing = 9,
  busy = 10,
  cancelled = 11,
  internal = 12,
  not_agreed = 13,
};

class Error : public std::runtime_error {
 public:
  Error(Status status, const std::string& text) : std::runtime_error(text), status_(status) {}
  Status status() const noexcept { return status_; }

 private:
  Status status_;
};

[[noreturn]] void fail_formatted(Status status, fmt::string_view text, fmt::format_args arguments);

template <typename... Args>
[[noreturn]] void fail(Status status, fmt::format_string<Args...> text, Args&&... args) {
  fail_formatted(status, text, fmt::make_format_args(args...));
}

}  // namespace atc
