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
// library versions, schema) names the sub-directory, the rest names the file. `family` is a text
// that is the same for problems that may use each other's entries (for example, problems that
// differ only in the batch); `find` returns the entries of a family. The family is part of the
// key's identity and may be empty.
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

// A key with its text and hashes. Repeated look-ups should keep it. Throws Error(invalid_argument)
// if a part is no object or cannot be written as JSON.
class CanonicalKey {
 public:
  CanonicalKey(const Key& key);  // the conversion is implicit on purpose, for calls like
                                 // store->get(key)
  const std::string& text() const { return text_; }
  const Place& place() const { return place_; }

 private:
  std::string text_;
  Place place_;
};

struct Entry {
  Key key;
  Json value;  // a JSON object with a member "choice"; the caller determines the other members,
               // except kProvisional
  // The entry was read from a file that users other than this process's may have written. Then the
  // value has no compiled parts: they were left out.
  bool foreign = false;
  bool unsaved = false;  // true if the entry could not be written to disk, so that only memory
                         // holds it
  // The entry was read from a file of this user without a valid seal (seal.hpp): the file was
  // unpacked or copied here, or an atc without seals wrote it. The entry's sidecars have seals of
  // their own.
  bool elsewhere = false;
};

// A value with this member is provisional, a value without it is firm. put, import and merge
// replace a provisional value by a firm one, but not a firm one by a provisional one.
inline constexpr const char* kProvisional = "provisional";
// The member of a stored value that holds the seal of the entry's file. It is removed when an entry
// is read.
inline constexpr const char* kSeal = "seal";
bool is_provisional(const Json& value);

// Entries as text. entry_to_text writes {"schema", "checksum", "key", "value"}. entry_from_text
// also accepts an entry without schema and checksum, the form in which callers pass entries; it
// throws Error(bad_record), which says why an entry is bad.
std::string entry_to_text(const Entry& entry);
Entry entry_from_text(std::string_view text);

}  // namespace atc::store
