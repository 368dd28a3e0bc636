#include "core/printable.hpp"

#include "core/format.hpp"

namespace atc {

// Control characters are those of ASCII and U+0080 to U+009F. Terminals obey the latter, too:
// U+009B begins an escape sequence. UTF-8 writes U+0080 to U+009F as 0xc2 and a byte from 0x80 to
// 0x9f. Such a byte without 0xc2 before it is not UTF-8, and is also written as \xNN.
std::string printable(std::string_view text) {
  std::string made;
  int continued = 0;  // how many bytes of the present character are still missing
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
  std::size_t end = most;  // the byte is not part of a UTF-8 character
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return format("{}… ({} bytes)", printable(text.substr(0, end)), text.size());
}

}  // namespace atc
