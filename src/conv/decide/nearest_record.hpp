// Explains a miss: finds the record that is nearest to the key that was asked for.
#pragma once

#include <memory>
#include <string>

#include "store/store.hpp"

namespace atc::conv {

// Returns, for example, "recorded with environment/threads 2, here 1" for the entry whose key
// differs in the fewest members. Returns "" if the store is empty, has more than 4,096 entries, or
// none that differs in three members or fewer. Reads the whole store, but only once per key as long
// as the number of its entries does not change.
std::string nearest_record(const std::shared_ptr<store::Store>& store, const store::Key& key);

}  // namespace atc::conv
