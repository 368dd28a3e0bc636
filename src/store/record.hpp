// Converts an entry to text and back: the text of a file, or of a line of a bundle.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "store/entry.hpp"

namespace atc::store {

// An entry that was decoded and passed every check.
struct Record {
  std::string key_text;  // CanonicalKey::text
  Place place;
  Entry entry;
  std::string seal;  // the seal of the entry; "" if it has none
};

// Returns the entry as one line of text, without a line feed at the end. Throws Error(bad_record)
// if the value cannot be an entry.
std::string encode(const CanonicalKey& key, const Json& value);

struct Decoded {
  std::shared_ptr<Record> record;  // the entry; null if its text is bad (`reason` says why)
  std::string unsealed;            // the text of the value without the seal
  // The reason why the text is bad, as the end of a sentence, such as "is not JSON at byte 12".
  std::string reason;
  // True if a newer version of atc has written the record. The record cannot be checked, and must
  // not be deleted.
  bool newer_schema = false;
};

// Returns the key in the text of an entry, as encode() writes it, without reading the value: this
// takes a small part of the time of decode(). Nothing but the form of the key is checked, so the
// key may only be used to look for the entry. Empty if the text has another form.
std::optional<Key> decode_key(std::string_view text);

// Decodes an entry and checks everything; the checksum is checked last. The checksum covers the
// canonical texts of key and value, so that any change of their meaning is detected.
Decoded decode(std::string_view text);

}  // namespace atc::store
