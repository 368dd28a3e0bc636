// Many entries as bytes: a header line, then one entry per line in the order of their keys. Names
// of files are no part of it; they are computed from the keys by whoever takes it in.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "store/record.hpp"

namespace atc::store {

// `lines` by key hash; a line is what `encode` made. Throws Error(bad_record) above
// kMaxBundleBytes.
std::string write_bundle(const std::map<Hash128, std::string>& lines);

struct BundleLine {
  Place place;
  std::string_view text;  // into the bundle
  bool provisional = false;
};
// Everything is checked before anything comes back. Throws Error(bad_record), which names the
// entry.
std::vector<BundleLine> read_bundle(std::string_view bytes);

}  // namespace atc::store
