// A digest of the choices of entries.
#pragma once

#include <cstdint>

#include "store/entry.hpp"
#include "store/hash.hpp"

namespace atc::store {

// Hashes keys and choices, firm or not. The entries must come in the order of their keys' hashes.
class Digest {
 public:
  void add(const Hash128& key, const Json& value);
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = digest_of_nothing();
};

}  // namespace atc::store
