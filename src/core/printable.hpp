// Makes text of a file or a library safe for messages and log lines.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace atc {

// Returns the text with each byte of a control character (including NUL) written as \xNN.
std::string printable(std::string_view text);
// Returns printable(text). If the text is longer than `most` bytes, it is cut, and its full length
// is added.
std::string shown(std::string_view text, std::size_t most = 80);

}  // namespace atc
