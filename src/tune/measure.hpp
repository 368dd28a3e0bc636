// One batch, with enough executions for a meaningful time.
#pragma once

#include <cstddef>
#include <optional>

#include "tune/field.hpp"

namespace atc::tune {

// The intended length of a batch: two orders of magnitude above the cost and the resolution of
// reading a time.
constexpr double kBatchSeconds = 200e-6;
constexpr std::size_t kMostCalls = 1000;

std::size_t batch_calls(double seconds_per_call, double batch_seconds = kBatchSeconds);

// The first batch of a contestant that was just admitted. One execution determines the size of a
// batch, and is itself the batch if it is long enough. Empty: the contestant is out, or the race
// has stopped.
std::optional<Sample> time_first_batch(Field& field, std::size_t index, std::size_t round);

// A batch of at least `batch_seconds`, by the contestant's fastest time so far. It is timed in a
// graph if the host cannot issue it as fast as the device runs it.
std::optional<Sample> time_batch(Field& field, std::size_t index, std::size_t round,
                                 double batch_seconds = kBatchSeconds);

}  // namespace atc::tune
