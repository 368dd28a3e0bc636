// Many entries as bytes: a header line, then one entry per line in the order of their key hashes,
// then one sidecar per line, in the order of key hashes and text hashes. Only sidecars that an
// entry names are in the bundle. A bundle holds no file names; the store that imports a bundle
// computes them from the keys.
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
  std::string packed;  // contents of the sidecar's file
};
// Sidecars by two hashes: of the entry's key, and of the sidecar's text.
using BundleSidecars = std::map<std::pair<Hash128, Hash128>, BundleSidecar>;

// `lines` are results of `encode`, by key hash. Throws Error(bad_record) if the bundle would have
// more than kMaxBundleBytes.
std::string write_bundle(const std::map<Hash128, std::string>& lines,
                         const BundleSidecars& sidecars);

struct BundleLine {
  Place place;
  std::string_view text;  // a part of the bundle's bytes
  bool provisional = false;
  std::vector<SidecarName> sidecars;  // the names of the entry's sidecars (files with compiled
                                      // forms); the bundle may lack some of the files
};
struct Bundle {
  std::vector<BundleLine> lines;
  BundleSidecars sidecars;
};
enum class Sidecars { take, leave };
// Checks everything that it takes before it returns. Sidecars that are left (Sidecars::leave) are
// counted, and the bundle's checksum covers them, but they are not unpacked, because they may be
// large. Throws Error(bad_record), which names the entry.
Bundle read_bundle(std::string_view bytes, Sidecars sidecars = Sidecars::take);

}  // namespace atc::store
