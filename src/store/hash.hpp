// Hashes that name files and protect contents (xxHash 3), and their text form.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

namespace atc::store {

struct Hash128 {
  std::uint64_t high = 0, low = 0;
  bool operator==(const Hash128& other) const { return high == other.high && low == other.low; }
  bool operator!=(const Hash128& other) const { return !(*this == other); }
  bool operator<(const Hash128& other) const {
    return std::tie(high, low) < std::tie(other.high, other.low);
  }
};

struct Hash128Hasher {
  std::size_t operator()(const Hash128& hash) const { return static_cast<std::size_t>(hash.low); }
};

std::uint64_t hash64(std::string_view bytes);
Hash128 hash128(std::string_view bytes);

// The digest (hash of all entries) of a store without entries. The digest of any other store is
// computed from this number by adding the entries.
std::uint64_t digest_of_nothing();

std::string hex64(std::uint64_t value);   // returns 16 lower-case hexadecimal digits
std::string hex32(std::uint32_t value);   // returns 8 lower-case hexadecimal digits
std::string hex128(const Hash128& hash);  // returns 32 lower-case hexadecimal digits
// Returns the value of 1 to 16 lower-case hexadecimal digits. Returns nullopt for any other text.
std::optional<std::uint64_t> from_hex(std::string_view digits);
// Returns the value of exactly 32 lower-case hexadecimal digits. Returns nullopt for any other
// text.
std::optional<Hash128> hash128_from_hex(std::string_view digits);

}  // namespace atc::store
