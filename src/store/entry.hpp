// The contents of a store: keys, and the JSON values that are stored under the keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/json.hpp"
#include "store/hash.hpp"

namespace atc::store {

using Json = nlohmann::json;

// The largest size of an entry's file in bytes. A larger file is refused without reading it.
constexpr std::size_t kMaxEntryBytes = std::size_t{64} << 10;

// The key of an entry. `environment` and `problem` are JSON objects. Two keys are equal if their
// canonical texts are equal. The environment (device, library versions, schema) determines the
// sub-directory; the whole key determines the file's name. `family` is a text that is the same for
// all problems that may use each other's entries (for example, problems that differ only in the
// batch), and Store::find returns the entries of a family. The family is part of the key, and may
// be empty.
struct Key {
  Json environment = Json::object();
  Json problem = Json::object();
  std::string family;
};

// The location of an entry in the store: its folder (`environment`), and its file name (`family`
// and `key`). All three are hashes of parts of the key.
struct Place {
  std::uint64_t environment = 0;
  std::uint32_t family = 0;
  Hash128 key;
  bool operator==(const Place& other) const {
    return environment == other.environment && family == other.family && key == other.key;
  }
};

// A key with its text and hashes. A caller that looks up the same key repeatedly should keep this
// object. The constructor throws Error(invalid_argument) if a part of the key is no object or
// cannot be written as JSON.
class CanonicalKey {
 public:
  // The constructor is not explicit on purpose, so that callers can write store->get(key) with a
  // Key.
  CanonicalKey(const Key& key);
  const std::string& text() const { return text_; }
  const Place& place() const { return place_; }

 private:
  std::string text_;
  Place place_;
};

struct Entry {
  Key key;
  // A JSON object with a member "choice". The other members are determined by the caller of the
  // store, except kProvisional and kSeal.
  Json value;
  // True if users that are not trusted (trust.hpp) may have written the entry's file. Then the
  // compiled parts of the value, which would be run as they are, were removed when the file was
  // read.
  bool foreign = false;
  // True if the entry could not be written to the disk, so that it exists only in memory.
  bool unsaved = false;
  // True if the entry was read from a file of this user without a valid seal (seal.hpp). Such a
  // file was unpacked or copied here, or a version of atc without seals wrote it. The entry's
  // sidecars have their own seals.
  bool elsewhere = false;
};

// A value with this member is provisional (uncertain); a value without it is firm. put, import and
// merge replace a provisional value by a firm value, but not a firm value by a provisional value.
inline constexpr const char* kProvisional = "provisional";
// The member of a stored value that holds the seal of the entry's file. It is removed when an entry
// is read.
inline constexpr const char* kSeal = "seal";
bool is_provisional(const Json& value);

// Converts entries to text and back. entry_to_text writes {"schema", "checksum", "key", "value"}.
// entry_from_text also accepts an entry without schema and checksum, because callers of atc pass
// entries in this form. If an entry is bad, entry_from_text throws Error(bad_record) with the
// reason.
std::string entry_to_text(const Entry& entry);
Entry entry_from_text(std::string_view text);

}  // namespace atc::store
