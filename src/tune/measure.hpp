// One batch, of as many executions as it takes for its time to mean something.
#pragma once

#include <cstddef>
#include <optional>

#include "tune/field.hpp"

namespace atc::tune {

// A batch aims at this length: two orders of magnitude above the cost and grain of reading a time.
constexpr double kBatchSeconds = 200e-6;
constexpr std::size_t kMostCalls = 1000;
constexpr double kShortestCall = 1e-12;  // a time of 0 says the clock is coarser than the batch

std::size_t batch_calls(double seconds_per_call, double batch_seconds = kBatchSeconds);

// The first batch of a contestant just admitted. One execution tells how many a batch has, and is
// itself the batch if it is long enough. Empty: the contestant is out, or the race has stopped.
std::optional<Sample> open(Field& field, std::size_t index, std::size_t round);

// A batch of at least `batch_seconds`, by the contestant's fastest time so far; in a graph where
// the host cannot issue it as fast as the device runs it.
std::optional<Sample> measure(Field& field, std::size_t index, std::size_t round,
                              double batch_seconds = kBatchSeconds);

}  // namespace atc::tune
