// Finds the records of problems that are near to a problem: a record serves them, too, until they
// have one of their own.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "store/store.hpp"

namespace atc::conv {

// The largest ratio of two batch sizes, and of two spatial extents, of problems that are near.
constexpr double kMostRatio = 2;

// A text that is equal for problems of records that may be near: they differ only in the batch and
// the spatial extents, and all strides that exist in both have the same alignment (up to 16 bytes,
// the widest access of a GPU). If a tensor is not dense, only the batch may differ. Throws
// store::Json::exception if `problem` does not have a record's form.
std::string kin_of(const store::Json& problem);

// The sum of the logarithms (base 2) of the ratios of the batch and of each spatial extent of x.
// Empty if one of the ratios is above kMostRatio, or if the numbers of extents differ. Throws as
// kin_of.
std::optional<double> distance_between(const store::Json& problem, const store::Json& other);

// The entries of problems near to that of the key, the nearest first. If several are equally near,
// the order of their keys decides. The entry of the key itself is not among them.
//
// The first call for a store reads all its entries of the key's environment, later calls those that
// are new. In an environment with more than 4,096 entries, only those that differ in the batch
// alone are looked for.
std::vector<std::shared_ptr<const store::Entry>> near_records(
    const std::shared_ptr<store::Store>& store, const store::Key& key);

}  // namespace atc::conv
