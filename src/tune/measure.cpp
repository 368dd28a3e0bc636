#include "tune/measure.hpp"

#include <algorithm>
#include <cmath>

namespace atc::tune {

std::size_t batch_calls(double seconds_per_call, double batch_seconds) {
  const double calls = std::ceil(batch_seconds / std::max(seconds_per_call, kShortestCall));
  return static_cast<std::size_t>(std::clamp(calls, 1.0, static_cast<double>(kMostCalls)));
}

namespace {

std::optional<Sample> completed(Field& field, std::size_t index, std::size_t calls,
                                std::optional<Sample> sample) {
  if (sample && !field.time_in_graph(index, calls, *sample)) sample.reset();
  return sample;
}

}  // namespace

std::optional<Sample> time_first_batch(Field& field, std::size_t index, std::size_t round) {
  const std::optional<Sample> probe = field.time(index, 1, round);
  if (!probe) return probe;
  if (batch_calls(probe->seconds) == 1) return completed(field, index, 1, probe);
  const std::optional<Sample> batch = time_batch(field, index, round);
  // If the race stops before the batch is timed, the time of the single execution is used.
  return batch || !field.at(index).racing ? batch : probe;
}

std::optional<Sample> time_batch(Field& field, std::size_t index, std::size_t round,
                                 double batch_seconds) {
  const std::size_t calls = batch_calls(field.at(index).fastest, batch_seconds);
  return completed(field, index, calls, field.time(index, calls, round));
}

}  // namespace atc::tune
