// A bundle: many entries of a store as bytes, to be moved to another store. The first line of a
// bundle is a header. Then there is one line per entry, in the order of the hashes of their keys,
// and then one line per sidecar (a large text that belongs to an entry), in the order of key hashes
// and text hashes. A sidecar is in the bundle only if an entry names it. A bundle contains no file
// names: the store that imports the bundle computes them from the keys.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/record.hpp"
#include "store/sidecar_name.hpp"

namespace atc::store {

struct BundleSidecar {
  SidecarName name;
  std::string packed;  // the contents of the sidecar's file: the compressed text
};
// Sidecars (large texts that belong to entries) by two hashes: the hash of the entry's key, and the
// hash of the sidecar's text.
using BundleSidecars = std::map<std::pair<Hash128, Hash128>, BundleSidecar>;

// Returns the bundle. `lines` are results of `encode`, ordered by the hash of the key. Throws
// Error(bad_record) if the bundle would have more than kMaxBundleBytes.
std::string write_bundle(const std::map<Hash128, std::string>& lines,
                         const BundleSidecars& sidecars);

struct BundleLine {
  Place place;
  std::string_view text;  // a part of the bundle's bytes, which must outlive this object
  bool provisional = false;
  // The names of the entry's sidecars (files with compiled forms). The bundle need not contain all
  // of them.
  std::vector<SidecarName> sidecars;
};
struct Bundle {
  std::vector<BundleLine> lines;
  BundleSidecars sidecars;
};
enum class Sidecars { take, leave };
// Reads a bundle. Every entry and sidecar in the result has been checked. With Sidecars::leave, the
// sidecars are not returned: they are counted, and the checksum of the bundle covers them, but they
// are not unpacked, because they may be large. Throws Error(bad_record), whose text names the bad
// entry.
Bundle read_bundle(std::string_view bytes, Sidecars sidecars = Sidecars::take);

}  // namespace atc::store
