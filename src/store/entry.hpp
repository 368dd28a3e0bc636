// The contents of a store: keys and the JSON values that belong to them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/json.hpp"
#include "store/hash.hpp"

namespace atc::store {

using Json = nlohmann::json;

constexpr std::size_t kMaxEntryBytes = std::size_t{64} << 10;  // larger files are refused unread

// Both parts are JSON objects; equal keys have equal canonical dumps. The environment (device,
// library versions, schema) names the sub-directory, the rest names the file. `find` returns the
// entries of a `family`: problems that may use each other's entries have the same family text (say,
// all but the batch). The family is part of the key's identity and may be empty.
struct Key {
  Json environment = Json::object();
  Json problem = Json::object();
  std::string family;
};

// The folder (`environment`) and the file name of an entry, as hashes.
struct Place {
  std::uint64_t environment = 0;
  std::uint32_t family = 0;
  Hash128 key;
  bool operator==(const Place& other) const {
    return environment == other.environment && family == other.family && key == other.key;
  }
};

// A key with its text and hashes, which repeated look-ups should keep. Throws
// Error(invalid_argument) when a part is no object or cannot be written as JSON.
class CanonicalKey {
 public:
  CanonicalKey(const Key& key);  // implicit on purpose: store->get(key)
  const std::string& text() const { return text_; }
  const Place& place() const { return place_; }

 private:
  std::string text_;
  Place place_;
};

struct Entry {
  Key key;
  Json value;  // holds an object "choice"; the rest is the caller's, but for kProvisional
  // Read from a file that other users than this process's may have written: compiled parts were
  // left out of the value.
  bool foreign = false;
  bool unsaved = false;  // the disk refused it: memory alone holds it
  // Read from a file of this user that has no valid seal (seal.hpp): it was unpacked or copied
  // here, or an atc without seals wrote it. Its sidecars have seals of their own.
  bool elsewhere = false;
};

// A value with this member is provisional; a value without it is firm. In put, import and merge a
// firm value replaces a provisional one, never the other way round.
inline constexpr const char* kProvisional = "provisional";
// The member of the value that holds the seal of an entry's file. Read entries are without it.
inline constexpr const char* kSeal = "seal";
bool is_provisional(const Json& value);

// Entries as text: {"schema", "checksum", "key", "value"} when written by atc. Reading also accepts
// an entry without schema and checksum, as callers hand in, and throws Error(bad_record) that says
// why an entry is bad.
std::string entry_to_text(const Entry& entry);
Entry entry_from_text(std::string_view text);

}  // namespace atc::store
