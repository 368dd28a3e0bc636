// The technique `sustained` of a race. A race compares contestants (candidates for a convolution
// problem) by their times. Here the fastest contestants of three rounds, the finalists, are
// compared under a long load.
#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include "core/format.hpp"
#include "core/quantity.hpp"
#include "tune/decide.hpp"
#include "tune/techniques.hpp"

namespace atc::tune {

namespace {

constexpr std::size_t kPreliminaryRounds = 3;
constexpr std::size_t kFinalists = 4;  // the largest number of finalists, without the default
// A contestant that takes more than this multiple of the leader's time cannot be a finalist:
// throttling cannot make a contestant that slow.
constexpr double kHopeless = 2.0;
// The length of a batch in a run under load, in seconds. It is much longer than the pause between
// two batches, so that the device remains under load.
constexpr double kSoakBatch = 2e-3;
// Even if times and clocks look steady, a run under load lasts at least this many seconds.
constexpr double kSoakSeconds = 0.5;
// A run is steady if its last three windows agree in times and clocks. This is the length of a
// window, in seconds.
constexpr double kWindowSeconds = 0.15;
// The clock of the device is steady if it changes by at most this fraction between two windows
// (parts of a run under load).
constexpr double kSteady = 0.01;
// The assumed relative standard deviation between the medians of several runs of one finalist.
constexpr double kRunNoise = kSteady / 2;
// The longest run in seconds. A run that is not steady after this time counts as unsteady.
constexpr double kSoakLimit = 4.0;
// Two runs of the same finalist agree if the medians of their times differ by at most this
// fraction.
constexpr double kPassesAgree = 0.03;
// If more than this fraction of a run's steady batches ran beside other work, the result is
// unstable.
constexpr double kSharedPart = 0.1;
constexpr int kPasses = 2;
constexpr int kMostPasses = 4;

// One run of a finalist under load.
struct Soak {
  std::vector<Sample> steady;  // the samples of the last window (last seconds) of the run
  bool settled = false;
};

std::vector<double> logs_of(const std::vector<Sample>& samples, std::size_t from, std::size_t to) {
  std::vector<double> logs;
  for (std::size_t i = from; i < to; ++i) logs.push_back(std::log(samples[i].seconds));
  return logs;
}

double middle_of(const std::vector<Sample>& samples, std::size_t from, std::size_t to,
                 bool clocks) {
  std::vector<double> values;
  for (std::size_t i = from; i < to; ++i) {
    if (!clocks) values.push_back(samples[i].seconds);
    if (clocks && samples[i].clock_hz) values.push_back(*samples[i].clock_hz);
  }
  return median(std::move(values));
}

// Returns whether the samples with the indices from `from` to `to` - 1 agree with the samples from
// the index `last` on. The times have to agree within their noise, and the clocks have to agree,
// too.
bool alike(const std::vector<Sample>& samples, std::size_t from, std::size_t to, std::size_t last) {
  const Location a = locate(logs_of(samples, from, to));
  const Location b = locate(logs_of(samples, last, samples.size()));
  const double noise = 2 * std::sqrt(a.variance + b.variance);
  if (std::abs(a.value - b.value) > std::max(kSteady, noise)) return false;
  const double clock_a = middle_of(samples, from, to, true);
  const double clock_b = middle_of(samples, last, samples.size(), true);
  return std::abs(clock_a - clock_b) <= kSteady * std::max(clock_a, clock_b);
}

// Runs batches back to back until the times and the clocks of three consecutive windows agree. (Two
// windows do not suffice: if a clock oscillates, two windows agree around each turning point.)
Soak soak(Field& field, std::size_t index, std::size_t& round) {
  Soak result;
  std::vector<Sample> samples;
  // For each sample: the seconds for which the device was under load from the beginning of the run
  // to the end of the sample.
  std::vector<double> ends;
  double load = 0;
  while (load < kSoakLimit) {
    const std::size_t before = field.at(index).standing.statistics.executions;
    const std::optional<Sample> sample = field.time_batch(index, round++, kSoakBatch);
    if (!sample) break;
    const std::size_t calls = field.at(index).standing.statistics.executions - before;
    load += sample->seconds * static_cast<double>(calls);
    samples.push_back(*sample);
    ends.push_back(load);
    field.expect(1);
    field.tick();
    const auto since = [&](double seconds) {
      return static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), load - seconds) -
                                      ends.begin());
    };
    const std::size_t last = std::min(since(kWindowSeconds), samples.size() - 1);
    const std::size_t middle = std::min(since(2 * kWindowSeconds), last);
    const std::size_t first = std::min(since(3 * kWindowSeconds), middle);
    result.steady.assign(samples.begin() + static_cast<std::ptrdiff_t>(last), samples.end());
    if (load < kSoakSeconds || middle == last || first == middle) continue;
    result.settled = alike(samples, first, middle, last) && alike(samples, middle, last, last);
    if (result.settled) break;
  }
  return result;
}

// Chooses the finalists: three rounds show which contestants may still win. The other contestants
// leave the race.
void choose_finalists(Field& field) {
  admit_all(field);
  for (std::size_t round = 2; round <= kPreliminaryRounds && !field.stopped(); ++round) {
    const std::vector<std::size_t> racing = field.racing();
    if (racing.size() < 2) break;
    field.expect(racing.size());
    for (const std::size_t index : racing) {
      if (const std::optional<Sample> sample = field.time_batch(index, round)) {
        field.at(index).samples.push_back(*sample);
      }
      field.tick();
    }
  }
  std::vector<ContestantTime> timed;
  for (const std::size_t index : field.racing()) {
    const ContestantState& entry = field.at(index);
    if (entry.samples.empty()) continue;
    timed.push_back({index, middle_of(entry.samples, 0, entry.samples.size(), false), {}});
  }
  std::sort(timed.begin(), timed.end(), [](const ContestantTime& a, const ContestantTime& b) {
    return std::tie(a.seconds, a.index) < std::tie(b.seconds, b.index);
  });
  // The number of finalists depends on the rest of the budget. Each finalist needs two runs under
  // load, and half as much time again is kept in reserve. There are always at least two finalists.
  const double affordable = field.left() / (2 * 1.5 * kSoakSeconds);
  const double places = std::clamp(affordable, 2.0, static_cast<double>(kFinalists));
  for (std::size_t i = 0; i < timed.size(); ++i) {
    if (field.outlook().is_default(timed[i].index)) continue;
    const double ratio = timed[i].seconds / timed.front().seconds;
    if (i >= static_cast<std::size_t>(places) || ratio > kHopeless) {
      field.leave(timed[i].index, Outcome::dropped,
                  format("{} times the leader's time in the preliminaries", ratio_text(ratio)));
    }
  }
}

struct Final {
  std::size_t index = 0;
  std::vector<Soak> passes;  // this finalist's runs under load; only the last two are used
};

bool had_device_alone(const Soak& run) {
  const auto shared = std::count_if(run.steady.begin(), run.steady.end(),
                                    [](const Sample& one) { return one.shared; });
  return static_cast<double>(shared) <= kSharedPart * static_cast<double>(run.steady.size());
}

double middle_log(const Soak& run) { return median(logs_of(run.steady, 0, run.steady.size())); }

bool agrees(const Final& one) {
  const std::size_t count = one.passes.size();
  return count < kPasses || std::abs(middle_log(one.passes[count - 1]) -
                                     middle_log(one.passes[count - 2])) <= kPassesAgree;
}

void play(Field& field, std::vector<Final>& finals) {
  // In each pass every finalist runs once, and the order is reversed after each pass. So a finalist
  // runs once after each of its two neighbours in the order, on a board that this neighbour has
  // heated. If the finalist's times in the last two passes differ, the board was not yet steady,
  // and another pass follows.
  std::size_t round = kPreliminaryRounds + 1;
  for (int pass = 0; pass < kMostPasses; ++pass) {
    if (pass >= kPasses && std::all_of(finals.begin(), finals.end(), agrees)) break;
    for (Final& one : finals) {
      if (field.stopped() || !field.at(one.index).racing) continue;
      Soak run = soak(field, one.index, round);
      if (field.at(one.index).racing && !run.steady.empty()) one.passes.push_back(std::move(run));
    }
    std::reverse(finals.begin(), finals.end());
  }
}

std::optional<std::size_t> decide(Field& field, const std::vector<Final>& finals) {
  std::vector<ContestantTime> timed;
  std::vector<Location> locations;
  bool steady = true, agree = true, whole = true, alone = true;
  for (const Final& one : finals) {
    ContestantState& entry = field.at(one.index);
    if (!entry.racing) continue;
    whole = whole && one.passes.size() >= kPasses;
    agree = agree && agrees(one);
    // From here on only the samples of the last window of each run under load are used. In this
    // window the device was steady.
    if (!one.passes.empty()) entry.samples.clear();
    std::vector<double> middles;
    const std::size_t skipped =
        one.passes.size() - std::min<std::size_t>(one.passes.size(), kPasses);
    for (std::size_t i = skipped; i < one.passes.size(); ++i) {
      const Soak& pass = one.passes[i];
      steady = steady && pass.settled;
      alone = alone && had_device_alone(pass);
      middles.push_back(middle_log(pass));
      entry.samples.insert(entry.samples.end(), pass.steady.begin(), pass.steady.end());
    }
    // If the time was too short for a run of this finalist under load, the finalist's times in the
    // first rounds are used, and the result of the race is marked as unstable.
    if (middles.empty()) middles = logs_of(entry.samples, 0, entry.samples.size());
    if (middles.empty()) continue;
    timed.push_back({one.index, std::exp(mean(middles)), entry.contestant->burden()});
    // The medians of two runs of one finalist differ more than the noise of the batches within a
    // run explains. So the noise is estimated from the medians of the runs.
    locations.push_back(locate(std::move(middles)));
  }
  if (timed.empty()) {
    const std::vector<std::size_t> racing = field.racing();
    if (racing.empty()) return {};
    return racing.front();
  }
  const std::size_t leader = fastest(timed);
  std::size_t winner = settle_tie(timed, leader, field.options());
  const Prior prior = noise_of(locations, kRunNoise);
  const bool yields = default_yields(timed, leader, field.options());
  for (std::size_t i = 0; i < timed.size() && !yields; ++i) {
    // The choice must not be worse than not tuning. So the default wins unless the leader is shown
    // to be faster, as in an interleaved race.
    if (!field.outlook().is_default(timed[i].index) || i == leader) continue;
    if (!shown_slower(independent_gap(locations[i], locations[leader], prior))) winner = i;
  }
  if (!whole) field.unstable("the race ended before every finalist had its runs under load");
  if (!steady) field.unstable("clocks or times were not steady under load");
  if (!alone) field.unstable("other work was on the device under load");
  if (!agree) field.unstable("runs of one finalist under load differ");
  const double risk = timed[winner].seconds / timed[leader].seconds - 1;
  field.risks(risk);
  if (risk > kToleratedRisk) {
    field.unstable(format("the winner may take {} another one", compared_text(1 + risk)));
  }
  return timed[winner].index;
}

}  // namespace

std::optional<std::size_t> race_sustained(Field& field) {
  choose_finalists(field);
  std::vector<std::size_t> order = field.racing();
  if (order.empty()) return {};
  // A single contestant is the winner: there is nothing to compare it with.
  if (order.size() == 1) return order.front();
  const auto offset = static_cast<std::ptrdiff_t>(field.options().seed % order.size());
  std::rotate(order.begin(), order.begin() + offset, order.end());
  std::vector<Final> finals;
  finals.reserve(order.size());
  for (const std::size_t index : order) finals.push_back({index, {}});
  play(field, finals);
  return decide(field, finals);
}

}  // namespace atc::tune
