// Explains why the store has no record for a key: finds the record whose key is the most similar.
#pragma once

#include <memory>
#include <string>

#include "store/store.hpp"

namespace atc::conv {

// Returns, for example, "recorded with environment/threads 2, here 1". The text is about the entry
// whose key differs from `key` in the fewest members. Returns "" if the store is empty, has more
// than 4,096 entries, or has no entry that differs in at most three members. Reads the whole store.
// The result is kept for each key as long as the number of entries does not change.
std::string nearest_record(const std::shared_ptr<store::Store>& store, const store::Key& key);

}  // namespace atc::conv
