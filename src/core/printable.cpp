#include "core/printable.hpp"

#include "core/format.hpp"

namespace atc {

// Control characters are those of ASCII and the characters U+0080 to U+009F. Terminals act on both;
// U+009B, for example, begins an escape sequence. In UTF-8, U+0080 to U+009F are the byte 0xc2 and
// a byte from 0x80 to 0x9f. A byte from 0x80 to 0x9f that continues no UTF-8 character is invalid,
// and is also written as \xNN.
std::string printable(std::string_view text) {
  std::string made;
  int continued = 0;  // the number of bytes that are still missing of the current UTF-8 character
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool is_c1 = byte >= 0x80 && byte < 0xa0;
    const bool begins_c1 =
        byte == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0;
    if (byte < 0x20 || byte == 0x7f || begins_c1 || (is_c1 && continued == 0)) {
      made += format("\\x{:02x}", byte);
      continued = 0;
      continue;
    }
    made += text[i];
    if (byte >= 0xc0)
      continued = byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : 1;
    else
      continued = byte >= 0x80 && continued > 0 ? continued - 1 : 0;
  }
  return made;
}

std::string shown(std::string_view text, std::size_t most) {
  if (text.size() <= most) return printable(text);
  // the end of the shown text; moved back below, so that no UTF-8 character is cut
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return format("{}… ({} bytes)", printable(text.substr(0, end)), text.size());
}

}  // namespace atc
