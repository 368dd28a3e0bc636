// Times one batch of executions of a contestant. The number of executions is chosen so that the
// batch is long enough for the clock.
#pragma once

#include <cstddef>
#include <optional>

#include "tune/field.hpp"

namespace atc::tune {

// The intended length of a batch in seconds. It is about a hundred times as long as a reading of
// the clock, and as the resolution of the clock.
constexpr double kBatchSeconds = 200e-6;
constexpr std::size_t kMostCalls = 1000;

std::size_t batch_calls(double seconds_per_call, double batch_seconds = kBatchSeconds);

// Times the first batch of a contestant that was just admitted. First one execution is timed, and
// the number of executions in a batch is computed from its time. If that number is one, this
// execution is the batch. Returns nothing if the contestant is out of the race, or if the race
// stopped before an execution was timed.
std::optional<Sample> time_first_batch(Field& field, std::size_t index, std::size_t round);

// Times a batch that is expected to take `batch_seconds`. The number of its executions (at most
// kMostCalls) is computed from the contestant's shortest time so far. If the host cannot issue the
// batch as fast as the device runs it, the batch is also timed in a graph.
std::optional<Sample> time_batch(Field& field, std::size_t index, std::size_t round,
                                 double batch_seconds = kBatchSeconds);

}  // namespace atc::tune
