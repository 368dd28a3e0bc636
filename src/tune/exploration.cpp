#include "tune/exploration.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/random.hpp"
#include "tune/contestant_state.hpp"
#include "tune/decide.hpp"
#include "tune/statistics.hpp"

namespace atc::tune {

namespace {

// The number of measured calls after which the default's time counts as known. The other arms
// (candidates) do not run before that.
constexpr std::size_t kFirstCalls = 3;
// Two arms (candidates) are not compared conclusively before both have run in this number of
// rounds.
constexpr std::size_t kLeastRounds = 8;
// An arm (a candidate) is given up after one round if its call took longer than kFarBehindAtOnce
// times the leader's time. After two or more rounds it is given up if each of its calls took longer
// than kFarBehind times the leader's time.
constexpr double kFarBehind = 1.25, kFarBehindAtOnce = 1.6;
// An arm (a candidate) never runs if a call of it is expected to take longer than this multiple of
// the time of the fastest arm so far.
constexpr double kNoCall = 2;
// It is assumed that the next call of an arm (a candidate) takes at most kSurprise times as long as
// its longest call so far (or as expected, if the arm has not run). An arm runs only if the budget
// suffices for a call of this length.
constexpr double kSurprise = 1.25;
// The standard deviation of a call's time (relative) that is assumed before there are samples. It
// is larger than in a race, because a race times batches, and one call is noisier than a batch.
constexpr double kUsualNoise = 0.05;
// One-sided confidence levels, the same as in races. kSettled is the confidence at which the
// comparison of two arms (candidates) ends. kStorable is the confidence of the upper bound on the
// risk of the choice, which decides whether the choice is stored. The risk says how much slower the
// choice may be than another arm.
constexpr double kSettled = 0.99, kStorable = 0.95;
// If this number of measured calls of an arm (a candidate) in a row gave no usable time, the arm is
// not measured any more.
constexpr std::size_t kMostVain = 100;
// After n measured calls in a row without a usable time, 2^n calls are not measured, but at most
// this number. A measured call costs the host some microseconds. If the device waits for the host
// in each call, no call gives a usable time, and the host must not do this work for nothing.
constexpr std::size_t kMostPassed = 32;

}  // namespace

Exploration::Exploration(const ExplorationOptions& options)
    : options_(options), arms_(1), random_(options.seed) {}

std::size_t Exploration::add(double expected) {
  Arm arm;
  arm.expected = expected;
  // The new arm (candidate) does not run in a round that has already begun.
  arm.joined = in_round_ ? round_ + 1 : round_;
  arms_.push_back(std::move(arm));
  settled_ = false;
  return arms_.size() - 1;
}

void Exploration::close() {
  closed_ = true;
  if (in_round_ || winner_) return;
  compare();
}

void Exploration::drop(std::size_t arm, std::string reason) {
  take_out(arms_[arm], Outcome::failed, std::move(reason));
  if (fastest_ == arm) fastest_ = 0;
  if (arm == 0 || winner_ == arm) winner_ = 0;
}

void Exploration::take_out(Arm& arm, Outcome outcome, std::string reason) {
  if (!arm.open) return;
  arm.open = false;
  arm.outcome = outcome;
  arm.reason = std::move(reason);
}

Exploration::Logs Exploration::logs_of(const Arm& arm) {
  Logs logs;
  for (const auto& one : arm.logs)
    if (one) logs.push_back(*one);
  return logs;
}

std::pair<Exploration::Logs, Exploration::Logs> Exploration::common(const Arm& first,
                                                                    const Arm& second) {
  std::pair<Logs, Logs> logs;
  const std::size_t end =
      std::min(first.joined + first.logs.size(), second.joined + second.logs.size());
  for (std::size_t round = std::max(first.joined, second.joined); round < end; ++round) {
    const auto& one = first.logs[round - first.joined];
    const auto& other = second.logs[round - second.joined];
    if (!one || !other) continue;
    logs.first.push_back(*one);
    logs.second.push_back(*other);
  }
  return logs;
}

double Exploration::base() const {
  const Logs logs = logs_of(arms_[0]);
  return logs.size() < kFirstCalls ? 0 : std::exp(locate(logs).value);
}

double Exploration::leaders_time() const {
  const Logs logs = logs_of(arms_[fastest_]);
  return logs.empty() ? 0 : std::exp(locate(logs).value);
}

double Exploration::budget() const { return options_.most_cost * options_.calls * base(); }

double Exploration::extra(const Arm& arm) const {
  const Logs logs = logs_of(arm);
  const double longest =
      logs.empty() ? arm.expected : std::exp(*std::max_element(logs.begin(), logs.end()));
  return std::max(0.0, kSurprise * longest - base());
}

bool Exploration::affordable(const Arm& arm) const {
  double reserved = 0;
  for (const Arm& one : arms_) reserved += one.reserved;
  return spent_ + reserved + extra(arm) <= budget();
}

void Exploration::begin_round() {
  in_round_ = true;
  const bool known = base() > 0;
  for (std::size_t i = 0; i < arms_.size(); ++i)
    if (arms_[i].open && (i == 0 || known)) order_.push_back(i);
  for (std::size_t left = order_.size(); left > 1; --left) {
    random_ = mix(random_, left);
    std::swap(order_[left - 1], order_[random_ % left]);
  }
}

Exploration::Turn Exploration::next() {
  if (winner_) return {*winner_, false};
  if (passed_ > 0) {
    --passed_;
    return {fastest_, false};
  }
  if (!in_round_) {
    const bool others =
        std::any_of(arms_.begin() + 1, arms_.end(), [](const Arm& arm) { return arm.open; });
    // If the default is the only arm (candidate), there is nothing to compare. Then calls are
    // measured only until the default's time is known.
    if (others ? settled_ : base() > 0) return {fastest_, false};
    begin_round();
  }
  while (!order_.empty()) {
    const std::size_t index = order_.back();
    order_.pop_back();
    Arm& arm = arms_[index];
    if (!arm.open) continue;
    const bool timed = !logs_of(arm).empty();
    if (index != 0 && !timed && arm.expected > kNoCall * leaders_time()) {
      take_out(arm, Outcome::skipped, "expected to be far slower");
      continue;
    }
    if (index != 0 && !affordable(arm)) {
      take_out(arm, timed ? Outcome::dropped : Outcome::skipped,
               "a further call could exceed the cost that exploring may have");
      if (fastest_ == index) fastest_ = 0;
      continue;
    }
    if (index != 0) arm.reserved = extra(arm);
    arm.under_way = true;
    return {index, true};
  }
  // Usually ran() ends a round. If the loop above has taken out all remaining candidates of the
  // round, ran() is not called for this round any more, so the round is ended here.
  end_round();
  return {winner_.value_or(fastest_), false};
}

void Exploration::ran(std::size_t index, std::optional<double> seconds) {
  Arm& arm = arms_[index];
  arm.under_way = false;
  if (index != 0) spent_ += seconds ? std::max(0.0, *seconds - base()) : arm.reserved;
  arm.reserved = 0;
  // The first call of a candidate may load code, so its time does not count.
  if (index != 0 && !std::exchange(arm.warm, true)) seconds.reset();
  if (seconds) {
    ++calls_;
    arm.vain = 0;
    if (round_ >= arm.joined) {
      arm.logs.resize(round_ - arm.joined + 1);
      arm.logs.back() = std::log(std::max(*seconds, kShortestCall));
    }
  } else if (arm.open && !winner_) {
    passed_ = std::min(kMostPassed, std::size_t{2} << std::min(arm.vain, kMostPassed));
    if (++arm.vain < kMostVain)
      order_.insert(order_.begin(), index);
    else if (index == 0)
      winner_ = 0;
    else
      take_out(arm, Outcome::skipped, "its calls were not timed: the device waited for the host");
  }
  end_round();
}

void Exploration::put_back(std::size_t index) {
  Arm& arm = arms_[index];
  arm.under_way = false;
  arm.reserved = 0;
  order_.insert(order_.begin(), index);
}

void Exploration::end_round() {
  if (!in_round_ || !order_.empty() || winner_) return;
  if (std::any_of(arms_.begin(), arms_.end(), [](const Arm& arm) { return arm.under_way; })) return;
  in_round_ = false;
  ++round_;
  compare();
}

void Exploration::compare() {
  std::vector<Location> locations;
  locations.reserve(arms_.size());
  for (const Arm& arm : arms_) locations.push_back(locate(logs_of(arm)));
  const Prior prior = noise_of(locations, kUsualNoise);
  const auto gap = [&](const Arm& above, const Arm& below) {
    const auto [first, second] = common(above, below);
    return paired_gap(first, second, prior);
  };
  std::size_t leader = 0;
  for (std::size_t i = 1; i < arms_.size(); ++i) {
    const auto ratio = common(arms_[i], arms_[leader]);
    if (arms_[i].open && ratio.first.size() >= 2 &&
        locate(ratio.first).value < locate(ratio.second).value)
      leader = i;
  }
  const double leaders = locate(logs_of(arms_[leader])).value;
  settled_ = true;
  for (std::size_t i = 0; i < arms_.size(); ++i) {
    Arm& arm = arms_[i];
    if (i == leader || !arm.open) continue;
    const std::size_t rounds = common(arm, arms_[leader]).first.size();
    const Gap behind = gap(arm, arms_[leader]);
    if (i != 0 && rounds >= 1) {
      const Logs logs = logs_of(arm);
      const double far = leaders + std::log(rounds == 1 ? kFarBehindAtOnce : kFarBehind);
      const bool always =
          std::all_of(logs.begin(), logs.end(), [&](double one) { return one > far; });
      if (always || (rounds >= kLeastRounds && shown_slower(behind))) {
        take_out(arm, rounds >= kLeastRounds ? Outcome::lost : Outcome::dropped,
                 always ? "its calls took far longer" : "");
        continue;
      }
    }
    const double half = behind.half_width(kSettled);
    const double margin = 2 * std::log1p(options_.tie_margin);
    const bool known = i == 0 ? shown_slower(behind) || behind.value + half <= margin
                              : half - behind.value < margin;
    if (rounds < options_.most_rounds && (rounds < kLeastRounds || !known)) settled_ = false;
  }
  const std::size_t rounds = common(arms_[0], arms_[leader]).first.size();
  fastest_ = leader != 0 && rounds >= kLeastRounds && shown_slower(gap(arms_[0], arms_[leader]))
                 ? leader
                 : 0;
  if (settled_ && closed_) decide();
}

void Exploration::decide() {
  std::vector<Location> locations;
  locations.reserve(arms_.size());
  for (const Arm& arm : arms_) locations.push_back(locate(logs_of(arm)));
  const Prior prior = noise_of(locations, kUsualNoise);
  const auto gap = [&](std::size_t above, std::size_t below) {
    const auto [first, second] = common(arms_[above], arms_[below]);
    return paired_gap(first, second, prior);
  };
  // If the default ties with another arm, the default wins. To win, another arm has to be faster
  // than the default by more than the tie margin. In addition, it has to be faster by more than
  // half of the margin with 99.5 % confidence.
  std::size_t winner = 0;
  const double margin = std::log1p(options_.tie_margin);
  double ahead = margin;
  for (std::size_t i = 1; i < arms_.size(); ++i) {
    if (!arms_[i].open) continue;
    const Gap of_default = gap(0, i);
    if (of_default.value <= ahead || !shown_slower(of_default, margin / 2)) continue;
    winner = i;
    ahead = of_default.value;
  }
  double worst = 0;
  for (std::size_t i = 0; i < arms_.size(); ++i) {
    if (i == winner || !arms_[i].open) continue;
    const Gap behind = gap(winner, i);
    worst = std::max(worst, behind.value + behind.half_width(kStorable));
    if (std::abs(behind.value) > margin) continue;
    arms_[i].outcome = Outcome::tied;
    arms_[i].reason = "within the tie margin of the winner";
  }
  arms_[winner].outcome = Outcome::won;
  risk_ = std::expm1(worst);
  winner_ = winner;
}

bool Exploration::compared() const {
  return !arms_[0].logs.empty() && std::any_of(arms_.begin() + 1, arms_.end(), [](const Arm& arm) {
    return !logs_of(arm).empty();
  });
}

Standing Exploration::standing(std::size_t index) const {
  const Arm& arm = arms_[index];
  Standing standing;
  standing.outcome = winner_ == index ? Outcome::won : arm.outcome;
  standing.reason = standing.outcome == Outcome::won ? "" : arm.reason;
  std::vector<double> seconds;
  for (const double log : logs_of(arm)) seconds.push_back(std::exp(log));
  Statistics& statistics = standing.statistics;
  statistics.samples = statistics.executions = seconds.size();
  if (seconds.empty()) {
    if (standing.outcome == Outcome::lost) standing.outcome = Outcome::skipped;
    return standing;
  }
  statistics.mean = mean(seconds);
  statistics.median = median(seconds);
  statistics.deviation = deviation(seconds);
  const auto [least, most] = std::minmax_element(seconds.begin(), seconds.end());
  statistics.min = *least;
  statistics.max = *most;
  return standing;
}

}  // namespace atc::tune
