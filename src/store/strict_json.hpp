// Parsing of JSON from untrusted sources: bounded depth, no duplicate keys, finite numbers, UTF-8.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace atc::store {

// Deeper documents are refused, because building, writing and freeing a document recurses.
constexpr std::size_t kMaxJsonDepth = 64;

// Parses `text`. Returns true and sets `*out`; or returns false and sets `*reason` to a part of a
// sentence ("is not JSON at byte 12"). `*byte` (may be null) is set to the number, from 1, of the
// byte at which the text stops being JSON, or to 0 if that is not known.
bool parse_strictly(std::string_view text, nlohmann::json* out, std::string* reason,
                    std::size_t* byte = nullptr);

bool deeper_than(const nlohmann::json& value, std::size_t depth);

}  // namespace atc::store
