// Chooses the winner of a race. A race compares contestants (candidates for a convolution problem)
// by the times of batches of executions, which are run in rounds.
#include "tune/decide.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace atc::tune {

namespace {

// One-sided confidence levels:
// - kSeparated: a contestant leaves the race if it is slower with this confidence. The level is the
//   highest of the three, because a contestant that has left never returns, and because the test is
//   repeated in every round.
// - kSettled: the race ends if, with this confidence, no other contestant is faster than the leader
//   by more than twice the tie margin.
// - kStorable: the risk of the choice is computed with this confidence.
constexpr double kSeparated = 0.995;
constexpr double kSettled = 0.99;
constexpr double kStorable = 0.95;

// The standard deviation of a batch's time (relative) that is assumed before there are samples, and
// the weight of this assumption. The unit of the weight is degrees of freedom.
constexpr double kUsualNoise = 0.03;
constexpr double kUsualWeight = 1;
// When two contestants are compared, the variance of their times is a mean of two estimates: one
// from the two contestants, and one from all contestants. kFieldWeight is the weight of the second
// estimate, in degrees of freedom. The weight is low, so that a contestant with more or less noise
// than the others is soon judged by its own noise.
constexpr double kFieldWeight = 6;

}  // namespace

std::size_t fastest(const std::vector<ContestantTime>& timed) {
  const auto least = std::min_element(
      timed.begin(), timed.end(), [](const ContestantTime& a, const ContestantTime& b) {
        return std::tie(a.seconds, a.index) < std::tie(b.seconds, b.index);
      });
  return static_cast<std::size_t>(least - timed.begin());
}

bool default_yields(const std::vector<ContestantTime>& timed, std::size_t leader,
                    const Options& options) {
  const double limit = timed[leader].seconds * (1 + options.tie_margin);
  const bool opaque = std::any_of(timed.begin(), timed.end(), [&](const ContestantTime& one) {
    return one.index == options.default_index && one.burden.opaque;
  });
  return opaque && std::any_of(timed.begin(), timed.end(), [&](const ContestantTime& one) {
           return one.index != options.default_index && one.seconds <= limit && one.burden.kept;
         });
}

std::size_t settle_tie(const std::vector<ContestantTime>& timed, std::size_t leader,
                       const Options& options) {
  const double limit = timed[leader].seconds * (1 + options.tie_margin);
  std::size_t best = leader;
  const bool yields = default_yields(timed, leader, options);
  const auto rank = [&](std::size_t position) {
    const ContestantTime& one = timed[position];
    return std::make_tuple((one.index == options.default_index) == yields, one.burden, one.index);
  };
  for (std::size_t i = 0; i < timed.size(); ++i) {
    if (timed[i].seconds <= limit && rank(i) < rank(best)) best = i;
  }
  return best;
}

Prior noise_of(const std::vector<Location>& locations, double expected) {
  Prior prior = pool(locations, {expected * expected, kUsualWeight});
  prior.freedom = std::min(prior.freedom, kFieldWeight);
  return prior;
}

bool shown_slower(const Gap& gap, double by) { return gap.value - gap.half_width(kSeparated) > by; }

Comparison::Comparison(const Table& table, const Options& options)
    : table_(table), options_(options), margin_(std::log1p(options.tie_margin)) {
  std::vector<Location> locations;
  locations.reserve(table.logs.size());
  for (const auto& row : table.logs) locations.push_back(locate(row));
  std::vector<Location> noises = locations;
  for (const auto& row : table.gone) noises.push_back(locate(row));
  prior_ = noise_of(noises, kUsualNoise);
  informed_ = prior_.freedom >= kFieldWeight;
  for (std::size_t i = 0; i < table.members.size(); ++i)
    opaque_default_ = opaque_default_ || (is_default(i) && table.burdens[i].opaque);
  for (const Location& one : locations) values_.push_back(one.value);
  for (const auto& row : table.costs) costs_.push_back(locate(row).value);
  for (std::size_t i = 1; i < values_.size(); ++i) {
    if (values_[i] < values_[leader_]) leader_ = i;
  }
}

Gap Comparison::gap(std::size_t above, std::size_t below) const {
  return paired_gap(table_.logs[above], table_.logs[below], prior_);
}

bool Comparison::is_default(std::size_t member) const {
  return table_.members[member] == options_.default_index;
}

bool Comparison::default_yields_to(std::size_t member) const {
  return opaque_default_ && table_.burdens[member].kept && !is_default(member);
}

bool Comparison::default_yields() const {
  for (std::size_t i = 0; i < table_.members.size(); ++i) {
    if (!default_yields_to(i)) continue;
    const Gap gap = behind(i);
    if (i == leader_ || (gap.value <= margin_ && tied(gap))) return true;
  }
  return false;
}

bool Comparison::preferred(std::size_t member, std::size_t over) const {
  return std::make_pair(table_.burdens[member], table_.members[member]) <
         std::make_pair(table_.burdens[over], table_.members[over]);
}

bool Comparison::tied(const Gap& gap) const {
  return gap.value + gap.half_width(kSettled) <= 2 * margin_;
}

bool Comparison::always_behind(std::size_t member, double factor) const {
  const auto& own = table_.logs[member];
  const double limit = locate(table_.logs[leader_]).value + std::log(factor);
  return std::all_of(own.begin(), own.end(), [&](double one) { return one > limit; });
}

bool Comparison::separated(std::size_t member) const {
  if (member == leader_ || !informed_) return false;
  // A member (a contestant) wins ties if it is the default, or if the default loses a tie with it.
  // Such a member is separated only if it is slower than the leader by more than the tie margin,
  // because otherwise it may still win by a tie.
  const bool wins_ties = is_default(member) || default_yields_to(member);
  return shown_slower(behind(member), wins_ties ? margin_ : 0);
}

bool Comparison::settled(std::size_t member) const {
  if (!informed_) return false;
  if (member == leader_) return true;
  const Gap gap = behind(member);
  if (is_default(member)) {
    return shown_slower(gap) || tied(gap);
  }
  // This member (a contestant) wins if it ties with the leader. So its comparison with the leader
  // is settled only if it is certain that the two tie.
  if (gap.value <= margin_ && (preferred(member, leader_) || default_yields_to(member)))
    return tied(gap);
  return gap.half_width(kSettled) - gap.value < 2 * margin_;
}

bool Comparison::host_bound(std::size_t member) const {
  return costs_[member] - values_[member] > margin_;
}

Gap Comparison::cost_gap(std::size_t above, std::size_t below) const {
  return paired_gap(table_.costs[above], table_.costs[below], prior_);
}

bool Comparison::slower(std::size_t member, std::size_t than) const {
  return gap(member, than).value > margin_;
}

bool Comparison::eager_hope(std::size_t member) const {
  if (!host_bound(leader_)) return false;
  const double least = *std::min_element(costs_.begin(), costs_.end());
  return costs_[member] <= least + margin_ && costs_[member] + margin_ < costs_[leader_];
}

std::size_t Comparison::eager_winner(std::size_t winner) const {
  if (!host_bound(winner)) return winner;
  std::vector<std::size_t> better;
  for (std::size_t i = 0; i < table_.members.size(); ++i) {
    if (i == winner) continue;
    const Gap behind = gap(i, winner);
    const bool ties = !host_bound(i) && behind.value <= margin_ && tied(behind);
    if (ties || shown_slower(cost_gap(winner, i), margin_)) better.push_back(i);
  }
  if (better.empty()) return winner;
  const auto cheapest = *std::min_element(better.begin(), better.end(), [&](auto a, auto b) {
    return std::pair(costs_[a], a) < std::pair(costs_[b], b);
  });
  const auto rank = [&](std::size_t member) {
    return std::tuple(!is_default(member), host_bound(member), values_[member], member);
  };
  std::size_t best = cheapest;
  for (const std::size_t i : better)
    if (costs_[i] <= costs_[cheapest] + margin_ && rank(i) < rank(best)) best = i;
  return best;
}

std::size_t Comparison::winner() const {
  const bool yields = default_yields();
  if (is_default(leader_) && !yields) return leader_;
  // The choice must not be worse than not tuning. So a choice other than the default has to be
  // faster than the default with 99.5 % confidence.
  const auto beats_default = [&](std::size_t member) {
    for (std::size_t i = 0; i < table_.members.size(); ++i)
      if (is_default(i) && !yields) return shown_slower(gap(i, member));
    return true;
  };
  std::size_t best = leader_;
  for (std::size_t i = 0; i < table_.members.size(); ++i) {
    if (i == leader_) continue;
    const Gap gap = behind(i);
    if (is_default(i)) {
      if (!yields && (gap.value <= margin_ || !shown_slower(gap))) return i;
    } else if (gap.value <= margin_ && tied(gap) && beats_default(i) &&
               (is_default(best) || preferred(i, best))) {
      best = i;
    }
  }
  return best;
}

double Comparison::risk(std::size_t member) const {
  double worst = 0;
  for (std::size_t i = 0; i < table_.members.size(); ++i) {
    if (i == member) continue;
    const Gap gap = this->gap(member, i);
    worst = std::max(worst, gap.value + gap.half_width(kStorable));
  }
  return std::expm1(worst);
}

}  // namespace atc::tune
