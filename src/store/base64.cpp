#include "store/base64.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace atc::store {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr unsigned kNoDigit = 64;

constexpr std::array<std::uint8_t, 256> values_of_digits() {
  std::array<std::uint8_t, 256> values{};
  for (std::uint8_t& value : values) value = kNoDigit;
  for (std::size_t i = 0; i < kDigits.size(); ++i)
    values[static_cast<unsigned char>(kDigits[i])] = static_cast<std::uint8_t>(i);
  return values;
}
constexpr std::array<std::uint8_t, 256> kValues = values_of_digits();

}  // namespace

std::string to_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 3; ++i)
      group = group << 8 | (i < count ? static_cast<unsigned char>(bytes[at + i]) : 0U);
    for (std::size_t i = 0; i < 4; ++i)
      text.push_back(i <= count ? kDigits[group >> (18 - 6 * i) & 63U] : '=');
  }
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  for (std::size_t at = 0; at < text.size(); at += 4) {
    const bool last = at + 4 == text.size();
    const std::size_t padding = !last || text[at + 3] != '=' ? 0 : text[at + 2] != '=' ? 1 : 2;
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const unsigned value =
          i < 4 - padding ? kValues[static_cast<unsigned char>(text[at + i])] : 0;
      if (value == kNoDigit) return std::nullopt;
      group = group << 6 | value;
    }
    // The last character may have bits that belong to no byte. They must be zeros, so that only one
    // text is accepted for each sequence of bytes.
    if ((group & ((1U << 8 * padding) - 1)) != 0) return std::nullopt;
    for (std::size_t i = 0; i < 3 - padding; ++i)
      bytes.push_back(static_cast<char>(group >> (16 - 8 * i) & 255U));
  }
  return bytes;
}

}  // namespace atc::store
