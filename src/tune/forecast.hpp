// Chooses among candidates of which none has run, by what earlier races have shown of them.
#pragma once

#include <cstddef>
#include <vector>

#include "tune/contestant.hpp"

namespace atc::tune {

// The caution of a forecast: a candidate counts with the expected logarithm of its time plus this
// many standard deviations. The number was chosen by a replay of recorded races
// (docs/adr/0053-predictions.md).
constexpr double kCaution = 0.5;

// The candidates that are expected to be faster than the default, with caution: the most promising
// first. `beliefs` are those of the candidates, without the default. The result has indices into
// them. If two candidates are equally promising, the earlier one comes first.
std::vector<std::size_t> expected_faster(const std::vector<Belief>& beliefs);

}  // namespace atc::tune
