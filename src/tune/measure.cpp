#include "tune/measure.hpp"

#include <algorithm>
#include <cmath>

namespace atc::tune {

std::size_t batch_calls(double seconds_per_call, double batch_seconds) {
  const double calls = std::ceil(batch_seconds / std::max(seconds_per_call, kShortestCall));
  return static_cast<std::size_t>(std::clamp(calls, 1.0, static_cast<double>(kMostCalls)));
}

std::optional<Sample> open(Field& field, std::size_t index, std::size_t round) {
  const std::optional<Sample> probe = field.time(index, 1, round);
  if (!probe || batch_calls(probe->seconds) == 1) return probe;
  const std::optional<Sample> batch = measure(field, index, round);
  // A race that stops between the two still knows the contestant by its probe.
  return batch || !field.at(index).racing ? batch : probe;
}

std::optional<Sample> measure(Field& field, std::size_t index, std::size_t round,
                              double batch_seconds) {
  return field.time(index, batch_calls(field.at(index).fastest, batch_seconds), round);
}

}  // namespace atc::tune
