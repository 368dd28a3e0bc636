// The struct behind the handle atc_bytes: bytes or a text that a C function returns to its caller.
#pragma once

#include <string>
#include <utility>

#include "atc/base.h"

struct atc_bytes {
  std::string text;
};

namespace atc::ffi {

inline atc_bytes* make_bytes(std::string text) { return new atc_bytes{std::move(text)}; }

}  // namespace atc::ffi
