// The techniques once, median_of_three and till_stable of a race. A race compares contestants
// (candidates for a convolution problem) by their times. These techniques time one contestant after
// the other.
#include <algorithm>
#include <vector>

#include "tune/decide.hpp"
#include "tune/statistics.hpp"
#include "tune/techniques.hpp"

namespace atc::tune {

namespace {

constexpr std::size_t kMostSamples = 100;
// The technique till_stable ends when the time no longer falls: if a sample is below kStillFalling
// times the minimum of the samples before it, another sample follows.
constexpr double kStillFalling = 0.95;

// Times single executions of a contestant after a warm-up. Returns the time of the contestant in
// seconds, by the rule of the technique: the median or the minimum of the samples. Returns nothing
// if the contestant is out of the race or the race has stopped.
std::optional<double> sample(Field& field, std::size_t index) {
  const Technique technique = field.options().technique;
  ContestantState& entry = field.at(index);
  const std::optional<Sample> warm_up = field.time(index, 1, 0);
  if (!warm_up) return {};
  if (field.ran_once(index)) entry.samples.push_back(*warm_up);
  const auto next = [&] {
    const std::optional<Sample> sample = field.time(index, 1, entry.samples.size() + 1);
    if (sample) entry.samples.push_back(*sample);
    return sample.has_value();
  };
  const auto seconds = [&] {
    std::vector<double> values;
    values.reserve(entry.samples.size());
    for (const Sample& one : entry.samples) values.push_back(one.seconds);
    return values;
  };
  if (technique == Technique::till_stable) {
    double least = 0;
    while (!field.ran_once(index) && entry.samples.size() < kMostSamples && next()) {
      const double latest = entry.samples.back().seconds;
      const bool falling = least == 0 || latest / least < kStillFalling;
      least = least == 0 ? latest : std::min(least, latest);
      if (!falling) break;
    }
  } else {
    const std::size_t count = technique == Technique::median_of_three ? 3 : 1;
    while (!field.ran_once(index) && entry.samples.size() < count && next()) {
    }
  }
  if (entry.samples.empty() || !entry.racing) return {};
  const std::vector<double> values = seconds();
  return technique == Technique::till_stable ? *std::min_element(values.begin(), values.end())
                                             : median(values);
}

}  // namespace

std::optional<std::size_t> race_in_turn(Field& field) {
  std::vector<ContestantTime> timed;
  field.expect(2 * field.order().size());
  while (const auto turn = field.next()) {
    const std::size_t index = *turn;
    const bool admitted = field.admit(index);
    field.tick();
    if (admitted) {
      if (const std::optional<double> seconds = sample(field, index)) {
        timed.push_back({index, *seconds, field.at(index).contestant->burden()});
      }
      field.skip_untimed(index);
    }
    field.tick();
    if (timed.empty()) continue;
    // A contestant is released as soon as it cannot win any more: it is slower than the fastest by
    // more than the tie margin.
    const std::size_t best = fastest(timed);
    const double limit = timed[best].seconds * (1 + field.options().tie_margin);
    for (const ContestantTime& one : timed) {
      if (one.seconds > limit && field.at(one.index).racing) field.leave(one.index, Outcome::lost);
    }
  }
  if (timed.empty()) {
    // No contestant was timed. The default wins. If the default is out of the race, the first
    // contestant that is still in the race wins.
    const std::vector<std::size_t> racing = field.racing();
    if (racing.empty()) return {};
    return racing.front();
  }
  return timed[settle_tie(timed, fastest(timed), field.options())].index;
}

}  // namespace atc::tune
