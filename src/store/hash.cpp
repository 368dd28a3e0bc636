#include "store/hash.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/format.hpp"

namespace atc::store {

std::uint64_t hash64(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

Hash128 hash128(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.high64, hash.low64};
}

std::uint64_t digest_of_nothing() { return hash64("atc store digest 1"); }

std::string hex64(std::uint64_t value) { return format("{:016x}", value); }
std::string hex32(std::uint32_t value) { return format("{:08x}", value); }
std::string hex128(const Hash128& hash) { return hex64(hash.high) + hex64(hash.low); }

std::optional<std::uint64_t> from_hex(std::string_view digits) {
  if (digits.empty() || digits.size() > 16) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : digits) {
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (digit < 0) return std::nullopt;
    value = value << 4 | static_cast<std::uint64_t>(digit);
  }
  return value;
}

std::optional<Hash128> hash128_from_hex(std::string_view digits) {
  if (digits.size() != 32) return std::nullopt;
  const auto high = from_hex(digits.substr(0, 16));
  const auto low = from_hex(digits.substr(16));
  if (!high || !low) return std::nullopt;
  return Hash128{*high, *low};
}

}  // namespace atc::store
