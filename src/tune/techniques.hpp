// The techniques by which contestants are timed. Each technique admits contestants, times them,
// lets slow ones leave, and returns the winner among the rest. It returns nothing if no contestant
// is left.
#pragma once

#include <cstddef>
#include <optional>

#include "tune/field.hpp"

namespace atc::tune {

// The techniques once, median_of_three and till_stable: they time one contestant after the other,
// as cuDNN's frontend does.
std::optional<std::size_t> race_in_turn(Field& field);
// The technique interleaved: it times all remaining contestants in rounds, until the leader is
// certain.
std::optional<std::size_t> race_interleaved(Field& field);
// The technique sustained: it compares finalists at the clocks that the device reaches under a long
// load.
std::optional<std::size_t> race_sustained(Field& field);

// The first part of `interleaved` and `sustained`: each contestant is prepared, checked and timed
// by one batch. If it is far behind, it leaves at once, so that only few contestants are prepared
// at a time.
void admit_all(Field& field);

}  // namespace atc::tune
