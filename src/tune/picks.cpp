#include "tune/picks.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tune/outlook.hpp"
#include "tune/prospects.hpp"

namespace atc::tune {

Picks::Picks(std::vector<Belief> beliefs, double default_seconds, double first_cost)
    : beliefs_(std::move(beliefs)),
      default_seconds_(default_seconds),
      first_cost_(first_cost),
      checked_(beliefs_.size()),
      fastest_(default_seconds) {}

std::optional<Pick> Picks::next(double calls) const {
  std::optional<Pick> best;
  const double ahead = std::log(default_seconds_ / fastest_);
  for (std::size_t i = 0; i < beliefs_.size(); ++i) {
    if (checked_[i]) continue;
    const Belief& belief = beliefs_[i];
    // The expected time of one execution (the mean of a log-normal distribution). It takes into
    // account that the candidate may turn out to be far slower than expected.
    const double execution =
        default_seconds_ * std::exp(belief.log_ratio + belief.deviation * belief.deviation / 2);
    Pick pick;
    pick.candidate = i;
    pick.saving = fastest_ * expected_saving(belief.log_ratio + ahead, belief.deviation, 0);
    pick.cost = std::max(belief.seconds + belief.compiling, kLeastCost) +
                seconds_of_executions(execution, kHopeless * fastest_) +
                (is_first_ ? first_cost_ : 0);
    if (pick.saving <= 0 || pick.saving * calls <= pick.cost) continue;
    if (!best || pick.saving / pick.cost > best->saving / best->cost) best = pick;
  }
  return best;
}

void Picks::checked(std::size_t candidate, std::optional<double> seconds) {
  checked_[candidate] = true;
  is_first_ = false;
  if (seconds) fastest_ = std::min(fastest_, *seconds);
}

}  // namespace atc::tune
