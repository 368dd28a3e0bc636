// The techniques by which contestants are timed. Each admits contestants, times them, lets slow
// ones leave, and names a winner among the rest (none: no one is left).
#pragma once

#include <cstddef>
#include <optional>

#include "tune/field.hpp"

namespace atc::tune {

// once, median_of_three, till_stable: one contestant after the other, as cuDNN's frontend does.
std::optional<std::size_t> race_in_turn(Field& field);
// Rounds over all that are left, until the leader is separated.
std::optional<std::size_t> race_interleaved(Field& field);
// Runs finalists under the clocks that long load leads to.
std::optional<std::size_t> race_sustained(Field& field);

// The beginning of `interleaved` and `sustained`: each contestant is prepared, checked and timed by
// one batch, and leaves at once if it is far behind, so that few are prepared at a time.
void admit_all(Field& field);

}  // namespace atc::tune
