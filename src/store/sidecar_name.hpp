#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "store/hash.hpp"

namespace atc::store {

// The largest size in bytes of the text of a sidecar (a large text that belongs to an entry), and
// of the file of a sidecar.
constexpr std::size_t kMaxSidecarBytes = std::size_t{16} << 20;

// The name of a sidecar. A sidecar is a text that is too large for an entry and that most look-ups
// do not need. It is stored compressed, in a file beside the entry. The name is a member of the
// entry's value, or of one of the decisions in the value's "others". A sidecar only saves time: an
// entry is valid without it.
struct SidecarName {
  Hash128 hash;             // hash of the text
  std::uint64_t bytes = 0;  // size of the text
  bool operator==(const SidecarName& other) const {
    return hash == other.hash && bytes == other.bytes;
  }
};
inline constexpr const char* kSidecar = "sidecar";
nlohmann::json to_json(const SidecarName& name);
// Returns the name of a sidecar that the JSON contains. Returns nullopt if the JSON is not the name
// of a sidecar.
std::optional<SidecarName> sidecar_from_json(const nlohmann::json& json);

}  // namespace atc::store
