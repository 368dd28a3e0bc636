// Text from a file or a library, for people: in messages and log lines.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace atc {

// Without control characters: each of their bytes, NUL too, is written as \xNN.
std::string printable(std::string_view text);
// The same, and a longer text is cut after `most` bytes, with its length behind it.
std::string shown(std::string_view text, std::size_t most = 80);

}  // namespace atc
