// Bytes as text within a line of JSON (RFC 4648, with padding).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace atc::store {

std::string to_base64(std::string_view bytes);
// Returns nullopt for a text that to_base64 never writes.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace atc::store
