// Chooses among candidates of which none has been executed, according to the results of earlier
// races.
#pragma once

#include <cstddef>
#include <vector>

#include "tune/contestant.hpp"

namespace atc::tune {

// A forecast is cautious: a candidate is judged as if the logarithm of its time were the expected
// value plus this multiple of the standard deviation. The number was chosen by a replay of recorded
// races (docs/adr/0053-predictions.md).
constexpr double kCaution = 0.5;

// Returns the candidates that are expected to be faster than the default, even with caution
// (kCaution). The most promising candidate is the first. If two candidates are equally promising,
// the earlier one is first. `beliefs` has one element for each candidate except the default. The
// result has indices into `beliefs`.
std::vector<std::size_t> expected_faster(const std::vector<Belief>& beliefs);

}  // namespace atc::tune
