// Sidecars: texts that are too large for an entry. Each text is in a separate file beside the
// entry. The file contains a zlib stream (RFC 1950), which may be preceded by its seal (seal.hpp).
// The file is valid only if the hash of its text is the hash in the file's name.
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

// Returns the names of all sidecars (large texts that belong to entries) of a value, including
// those of the decisions in its "others".
std::vector<SidecarName> sidecars_of(const nlohmann::json& value);

std::string pack(std::string_view text);

struct Unpacked {
  // The unpacked text of a sidecar file. Empty if the file is bad; then `reason` says why, as a
  // part of a sentence.
  std::optional<std::string> text;
  std::string reason;
};
// Unpacks a sidecar (a large text that belongs to an entry). At most kMaxSidecarBytes are unpacked,
// whatever the input is. The hash of the text is checked. If `bytes` is given, the text must have
// this size. If `seal` is not null, it is set to the seal in front of the stream, or to "" if there
// is none.
Unpacked unpack(std::string_view packed, const Hash128& hash, std::optional<std::uint64_t> bytes,
                std::string* seal = nullptr);

struct SidecarFile {
  // The contents of the file without its seal. The state is `refused` if the hash of the text is
  // not the hash in the file's name.
  FileText file;
  std::string text;  // the unpacked text of the file, if the file was read
  std::string seal;  // the seal of the file; "" if the file has no seal
};
SidecarFile read_sidecar(const std::string& folder, const std::string& name, const Hash128& hash,
                         std::optional<std::uint64_t> bytes);

}  // namespace atc::store
