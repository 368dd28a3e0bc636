#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "store/hash.hpp"

namespace atc::store {

constexpr std::size_t kMaxSidecarBytes = std::size_t{16}  // Limit for the size of the text, and for
                                                          // the size of the file.
                                         << 20;

// The name of a sidecar. A sidecar is a text that is too large for an entry and that most look-ups
// do not need, kept compressed in a file beside the entry. The entry's value, or one of the value's
// "others", has the name as a member. A sidecar only saves time: an entry is valid without it.
struct SidecarName {
  Hash128 hash;             // of the text
  std::uint64_t bytes = 0;  // of the text
  bool operator==(const SidecarName& other) const {
    return hash == other.hash && bytes == other.bytes;
  }
};
inline constexpr const char* kSidecar = "sidecar";
nlohmann::json to_json(const SidecarName& name);
std::optional<SidecarName> sidecar_from_json(
    const nlohmann::json& json);  // nullopt: not such a name

}  // namespace atc::store
