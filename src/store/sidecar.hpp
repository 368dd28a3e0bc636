// Texts that are too large for an entry. Each is kept in a file beside the entry: a zlib stream
// (RFC 1950), which may have its seal (seal.hpp) in front. The file is valid only if its text has
// the hash in the file's name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/files.hpp"
#include "store/sidecar_name.hpp"

namespace atc::store {

SidecarName name_of_sidecar(std::string_view text);

// Returns the sidecars that a value names, including those of its "others".
std::vector<SidecarName> sidecars_of(const nlohmann::json& value);

std::string pack(std::string_view text);

struct Unpacked {
  std::optional<std::string> text;  // empty: `reason` says why
  std::string reason;               // a part of a sentence
};
// Unpacks a sidecar. The text has at most kMaxSidecarBytes, whatever the input is. Its hash is
// checked, and its size if that is known. `seal` (may be null) is set to the seal in front of the
// stream, or to "".
Unpacked unpack(std::string_view packed, const Hash128& hash, std::optional<std::uint64_t> bytes,
                std::string* seal = nullptr);

struct SidecarFile {
  FileText file;     // the file without its seal; refused if its text is not the text that its name
                     // says
  std::string text;  // the unpacked text, if the file was read
  std::string seal;  // "": it has none
};
SidecarFile read_sidecar(const std::string& folder, const std::string& name, const Hash128& hash,
                         std::optional<std::uint64_t> bytes);

}  // namespace atc::store
