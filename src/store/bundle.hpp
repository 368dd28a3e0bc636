// Many entries as bytes: a header line, then one entry per line in the order of their keys, then
// the sidecars that they name, one per line in the order of their keys and hashes. Names of files
// are no part of it; they are computed from the keys by whoever takes it in.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/record.hpp"

namespace atc::store {

struct BundleSidecar {
  SidecarName name;
  std::string packed;  // the file
};
using BundleSidecars = std::map<std::pair<Hash128, Hash128>, BundleSidecar>;  // by key and name

// `lines` by key hash; a line is what `encode` made. Throws Error(bad_record) above
// kMaxBundleBytes.
std::string write_bundle(const std::map<Hash128, std::string>& lines,
                         const BundleSidecars& sidecars);

struct BundleLine {
  Place place;
  std::string_view text;  // into the bundle
  bool provisional = false;
  std::vector<SidecarName> sidecars;  // that it names; the bundle may lack some
};
struct Bundle {
  std::vector<BundleLine> lines;
  BundleSidecars sidecars;
};
// Everything is checked before anything comes back. Throws Error(bad_record), which names the
// entry.
Bundle read_bundle(std::string_view bytes);

}  // namespace atc::store
