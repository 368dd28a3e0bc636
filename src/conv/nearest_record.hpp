// What a miss lies in: the record that is nearest to what was asked for.
#pragma once

#include <memory>
#include <string>

#include "store/store.hpp"

namespace atc::conv {

// "recorded with environment/threads 2, here 1", of the entry whose key differs in the fewest
// members;
// "" where the store is empty, has very many entries, or holds nothing that is alike. Reads the
// whole store, once for a key as long as the store has as many entries.
std::string nearest_record(const std::shared_ptr<store::Store>& store, const store::Key& key);

}  // namespace atc::conv
