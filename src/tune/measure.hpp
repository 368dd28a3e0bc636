// Times one batch of executions of a contestant. A batch has so many executions that its time is
// meaningful.
#pragma once

#include <cstddef>
#include <optional>

#include "tune/field.hpp"

namespace atc::tune {

// The intended length of a batch: about a hundred times as long as reading the clock takes, and as
// the resolution of the clock.
constexpr double kBatchSeconds = 200e-6;
constexpr std::size_t kMostCalls = 1000;

std::size_t batch_calls(double seconds_per_call, double batch_seconds = kBatchSeconds);

// Times the first batch of a contestant that was just admitted. First one execution is timed. From
// its time the number of executions in a batch follows. If that number is one, this execution is
// the batch. Empty if the contestant is out, or if the race has stopped.
std::optional<Sample> time_first_batch(Field& field, std::size_t index, std::size_t round);

// Times a batch of at least `batch_seconds`. The number of executions follows from the contestant's
// fastest time so far. If the host cannot issue the batch as fast as the device runs it, the batch
// is also timed in a graph.
std::optional<Sample> time_batch(Field& field, std::size_t index, std::size_t round,
                                 double batch_seconds = kBatchSeconds);

}  // namespace atc::tune
