// A digest (one hash) of the choices of all entries of a store.
#pragma once

#include <cstdint>

#include "store/entry.hpp"
#include "store/hash.hpp"

namespace atc::store {

// Hashes the keys and choices of entries. The hash is the same for firm and for provisional
// (uncertain) entries. The entries must be added in the order of the hashes of their keys.
class Digest {
 public:
  void add(const Hash128& key, const Json& value);
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = digest_of_nothing();
};

}  // namespace atc::store
