// The techniques by which contestants are timed. Each technique starts contestants, times them,
// takes slow ones out of the race, and returns the winner among the rest. It returns nothing if no
// contestant is left.
#pragma once

#include <cstddef>
#include <optional>

#include "tune/field.hpp"

namespace atc::tune {

// Runs the techniques once, median_of_three and till_stable. They time one contestant after the
// other, as cuDNN's frontend does.
std::optional<std::size_t> race_in_turn(Field& field);
// Runs the technique interleaved: all remaining contestants are timed in rounds, until the leader
// is certain.
std::optional<std::size_t> race_interleaved(Field& field);
// Runs the technique sustained: the finalists are compared at the clocks that the device reaches
// under a long load.
std::optional<std::size_t> race_sustained(Field& field);

// Runs the first part of `interleaved` and `sustained`: the contestants are prepared, checked and
// timed by one batch each, one after the other. A contestant that is far slower than the fastest is
// released at once, so that few contestants take memory at the same time.
void admit_all(Field& field);

}  // namespace atc::tune
