// Converts bytes to base64 text (RFC 4648, with padding) and back, so that bytes can be part of a
// line of JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace atc::store {

std::string to_base64(std::string_view bytes);
// Returns the bytes of a base64 text. Returns nullopt if the text is not exactly a result of
// to_base64.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace atc::store
