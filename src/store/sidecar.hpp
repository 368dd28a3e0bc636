// Texts too large for an entry, kept in files of their own beside it. Each file is a zlib stream
// (RFC 1950), in front of which its seal may stand (seal.hpp), and valid only if its text has the
// hash in the file's name.
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

// The sidecars that a value names, those of its "others" included.
std::vector<SidecarName> sidecars_of(const nlohmann::json& value);

std::string pack(std::string_view text);

struct Unpacked {
  std::optional<std::string> text;  // none: `reason` says why
  std::string reason;               // a part of a sentence
};
// The text has at most kMaxSidecarBytes, whatever the input is. Checks its hash, and its size if
// that is known. `seal`, if any, gets the seal in front of the stream, or "".
Unpacked unpack(std::string_view packed, const Hash128& hash, std::optional<std::uint64_t> bytes,
                std::string* seal = nullptr);

struct SidecarFile {
  FileText file;     // without its seal; refused also where it holds another text than it should
  std::string text;  // unpacked, where the file was read
  std::string seal;  // "": it has none
};
SidecarFile read_sidecar(const std::string& folder, const std::string& name, const Hash128& hash,
                         std::optional<std::uint64_t> bytes);

}  // namespace atc::store
