// Parses JSON from untrusted sources. The depth is limited, duplicate keys and infinite numbers are
// refused, and the text must be UTF-8.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace atc::store {

// The largest depth of a document. Deeper documents are refused, because parsing, writing and
// freeing a document use recursion.
constexpr std::size_t kMaxJsonDepth = 64;

// Parses `text`. If it is valid, returns true and sets `*out`. Otherwise returns false and sets
// `*reason` to a part of a sentence ("is not JSON at byte 12"). If `byte` is not null, `*byte` is
// set to the number of the first byte, counted from 1, that makes the text invalid as JSON; 0 if it
// is not known.
bool parse_strictly(std::string_view text, nlohmann::json* out, std::string* reason,
                    std::size_t* byte = nullptr);

bool deeper_than(const nlohmann::json& value, std::size_t depth);

}  // namespace atc::store
