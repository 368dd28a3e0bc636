// An entry as text: of a file, or of a bundle's line.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "store/entry.hpp"

namespace atc::store {

// An entry that passed every check.
struct Record {
  std::string key_text;  // CanonicalKey::text
  Place place;
  Entry entry;
  std::string seal;  // "": it has none
};

// Returns the entry as one line, without a line end. Throws Error(bad_record).
std::string encode(const CanonicalKey& key, const Json& value);

struct Decoded {
  std::shared_ptr<Record> record;  // null: `reason` says why
  std::string unsealed;            // the text of the value, without the seal
  std::string reason;              // the reason as a part of a sentence: "is not JSON at byte 12"
  bool newer_schema = false;       // true if a newer atc has written the record: it cannot be
                                   // checked and must not be deleted
};

// Checks everything; the checksum comes last. The checksum covers the canonical key and value, so
// that any change of meaning is detected.
Decoded decode(std::string_view text);

}  // namespace atc::store
