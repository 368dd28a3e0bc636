// Texts too large for an entry, kept in files of their own beside it: a zlib stream (RFC 1950)
// each, which is believed only where what it holds has the hash that names it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/store.hpp"

namespace atc::store {

SidecarName name_of_sidecar(std::string_view text);

// The sidecars that a value names, those of its "others" included.
std::vector<SidecarName> sidecars_of(const Json& value);

std::string pack(std::string_view text);

struct Unpacked {
  std::optional<std::string> text;  // none: `reason` says why
  std::string reason;               // a part of a sentence
};
// At most kMaxSidecarBytes come out, whatever went in.
Unpacked unpack(std::string_view packed, const Hash128& hash);
// Of the named size, too.
Unpacked unpack(std::string_view packed, const SidecarName& name);

}  // namespace atc::store
