// Finds the records of problems that are near to a problem. Until the problem has a record of its
// own, calls may use the record of a near problem.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "store/store.hpp"

namespace atc::conv {

// Two problems are near only if the ratio of their batch sizes is at most this number. The same
// holds for the ratio of each two corresponding spatial extents.
constexpr double kMostRatio = 2;

// Returns a text that is equal for two problems of records if they differ only in the batch and the
// spatial extents. The order of the dimensions in memory has to be the same, and corresponding
// strides must have the same alignment (up to 16 bytes, the widest access of a GPU). If a tensor is
// not dense, only the batch may differ. Throws store::Json::exception if `problem` does not have
// the form that key_for writes.
std::string kin_of(const store::Json& problem);

// Returns the distance of two problems: the sum of |log2(ratio)| over the batch and the spatial
// extents of x. Empty if one of the ratios is above kMostRatio, or if the numbers of extents
// differ. Throws as kin_of does.
std::optional<double> distance_between(const store::Json& problem, const store::Json& other);

// Returns the keys of the entries of problems near to the problem of the key, the nearest first.
// Equally near entries are ordered by their keys. The key itself is not returned. The entries
// themselves are not read, because most callers need only the nearest one.
//
// The first call for a store reads the keys of all entries of the key's environment. Later calls
// read only new keys. If the store has more than 4,096 entries, only keys that differ in the batch
// alone are returned.
std::vector<store::Key> near_keys(const std::shared_ptr<store::Store>& store,
                                  const store::Key& key);

}  // namespace atc::conv
