#include "tune/prospects.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/format.hpp"
#include "core/quantity.hpp"

namespace atc::tune {

namespace {

constexpr std::size_t kNoGroup = ~std::size_t{0};

// A race corrects its expectations of the contestants that have not run yet. For each contestant
// that ran, the logarithm of its time differs from the expected one by some amount. The expected
// logarithms of all contestants are shifted by the sum of these amounts / (their number +
// kWeightOfRace). Then those of each group are shifted in the same way, with kWeightOfGroup. The
// larger the weight, the more the expectation from before the race counts.
constexpr double kWeightOfRace = 3, kWeightOfGroup = 1;
// A contestant that has not run yet also has an expected variance. The fraction kSharedByGroup of
// it is common to all contestants of a group, so it disappears once the group is known. The rest is
// averaged with the variance that this race has shown within the group, and has the weight of
// kWeightOfSpread contestants in this average.
constexpr double kSharedByGroup = 0.9, kWeightOfSpread = 4;

constexpr double kLeastDeviation = 1e-3;

double normal_probability(double z) { return std::erfc(-z / std::sqrt(2)) / 2; }

}  // namespace

double seconds_of_executions(double execution, double hopeless) {
  return std::max(kExecutionsOfTurn * std::min(execution, hopeless),
                  kExecutionsOfHopeless * execution);
}

double expected_saving(double mean, double deviation, double bound) {
  deviation = std::max(deviation, kLeastDeviation);
  const double z = -mean / deviation;
  const double faster = normal_probability(z);
  const double kept =
      std::exp(mean + deviation * deviation / 2) * normal_probability(z - deviation);
  return std::clamp(faster - kept, 0.0, faster * std::max(0.0, 1 - bound));
}

Prospects::Prospects(const std::vector<ContestantState>& entries,
                     const std::vector<std::size_t>& order, const Outlook& outlook,
                     const Options& options)
    : entries_(entries), order_(order), outlook_(outlook), options_(options) {
  std::vector<std::map<std::string, std::size_t>> numbers;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    beliefs_.push_back(entries[i].contestant->belief());
    const std::vector<std::string> names = entries[i].contestant->groups();
    if (names.size() > groups_.size()) {
      groups_.resize(names.size(), std::vector<std::size_t>(entries.size(), kNoGroup));
      numbers.resize(names.size());
    }
    for (std::size_t place = 0; place < names.size(); ++place)
      if (!names[place].empty())
        groups_[place][i] =
            numbers[place].emplace(names[place], numbers[place].size()).first->second;
  }
}

double Prospects::reference() const {
  const double defaults = entries_[options_.default_index].fastest;
  if (defaults > 0) return defaults;
  for (const std::size_t index : order_)
    if (entries_[index].fastest > 0) return entries_[index].fastest;
  return 0;
}

std::optional<double> Prospects::shown(std::size_t index, double reference) const {
  const ContestantState& entry = entries_[index];
  if (entry.fastest > 0) {
    if (!outlook_.is_comparable(entry)) return {};
    return std::log(entry.fastest / reference);
  }
  // This contestant was not timed, because an execution in its check was hopelessly slow.
  if (outlook_.was_hopeless(index))
    return std::log(std::max(entry.standing.spent.hopeless, outlook_.hopeless_time()) / reference);
  return {};
}

std::vector<Prospects::Expected> Prospects::expected(double reference) const {
  const std::size_t count = entries_.size();
  std::vector<Expected> result(count);
  // For each contestant that ran: the logarithm of its time, minus the expected logarithm.
  std::vector<std::optional<double>> off(count);
  for (std::size_t i = 0; i < count; ++i) {
    result[i] = {beliefs_[i].log_ratio, beliefs_[i].deviation * beliefs_[i].deviation};
    // All times are divided by the default's time. So the logarithm of the default's own time is
    // always 0, and shows nothing about other contestants.
    if (outlook_.is_default(i) || !entries_[i].had_turn) continue;
    if (const auto log_ratio = shown(i, reference)) off[i] = *log_ratio - result[i].mean;
  }
  struct Sums {
    double number = 0, off = 0, squares = 0;
  };
  const auto sums_of = [&](const std::vector<std::size_t>& group) {
    std::map<std::size_t, Sums> sums;
    for (std::size_t i = 0; i < count; ++i) {
      if (!off[i] || group[i] == kNoGroup) continue;
      Sums& sum = sums[group[i]];
      sum.number += 1;
      sum.off += *off[i];
      sum.squares += *off[i] * *off[i];
    }
    return sums;
  };
  // Shifts the expected logarithm of each contestant by an amount that is computed for its group.
  const auto shift = [&](const std::vector<std::size_t>& group, double weight) {
    const std::map<std::size_t, Sums> sums = sums_of(group);
    for (std::size_t i = 0; i < count; ++i) {
      const auto sum = sums.find(group[i]);
      if (sum == sums.end()) continue;
      const double by = sum->second.off / (sum->second.number + weight);
      result[i].mean += by;
      if (off[i]) *off[i] -= by;
    }
  };
  shift(std::vector<std::size_t>(count, 0), kWeightOfRace);
  for (const auto& group : groups_) {
    shift(group, kWeightOfGroup);
    for (const auto& [number_of_group, sum] : sums_of(group)) {
      const double left = 1 - kSharedByGroup * sum.number / (sum.number + kWeightOfGroup);
      for (std::size_t i = 0; i < count; ++i)
        if (group[i] == number_of_group)
          result[i].variance = (kWeightOfSpread * left * result[i].variance + sum.squares) /
                               (kWeightOfSpread + sum.number);
    }
  }
  return result;
}

std::vector<Prospect> Prospects::all() const {
  std::vector<Prospect> result(entries_.size());
  const double reference = this->reference(), leader = outlook_.leaders_time();
  if (reference == 0 || !std::isfinite(leader)) return result;
  const double ahead = std::log(reference / leader);
  const double bound = options_.least_seconds / leader;
  const std::vector<Expected> expected = this->expected(reference);
  // The cost of a turn, without the time of its executions, is estimated as the cost that was
  // expected before the race times a factor. The factor shows how far such expectations were wrong
  // in this race: it is the mean of (actual cost / expected cost) over the turns so far and of the
  // number 1, as if one more turn had cost as much as expected. Turns with and without compiling
  // have separate factors.
  const auto believed = [&](std::size_t index, bool compiles) {
    const Belief& belief = beliefs_[index];
    return std::max(belief.seconds + (compiles ? belief.compiling : 0), kLeastCost);
  };
  struct Costs {
    double ratios = 0, number = 0;
  } costs[2];
  for (const std::size_t index : order_) {
    const ContestantState& entry = entries_[index];
    if (outlook_.is_default(index) || !entry.had_turn) continue;
    const Spent& spent = entry.standing.spent;
    const double all = spent.preparing + spent.checking + spent.timing;
    if (all == 0) continue;
    const bool compiles = entry.contestant->burden().compiles;
    const double apart =
        all - kExecutionsOfTurn * entry.fastest - kExecutionsOfHopeless * spent.hopeless;
    Costs& sum = costs[compiles ? 1 : 0];
    sum.ratios += std::max(apart, kLeastCost) / believed(index, compiles);
    sum.number += 1;
  }
  for (const std::size_t index : order_) {
    const ContestantState& entry = entries_[index];
    if (entry.had_turn) continue;
    const auto beside = [&](bool compiles) {
      const Costs& sum = costs[compiles ? 1 : 0];
      return believed(index, compiles) * (1 + sum.ratios) / (1 + sum.number);
    };
    const auto& [mean, variance] = expected[index];
    const double saving = leader * expected_saving(mean + ahead, std::sqrt(variance), bound);
    const double execution = reference * std::exp(mean + variance / 2);
    const double executing = seconds_of_executions(execution, outlook_.hopeless_time());
    const bool compiles = entry.contestant->burden().compiles;
    Prospect& prospect = result[index];
    prospect.gain = saving > 0 ? saving * options_.expected_calls : 0;
    prospect.cost = beside(compiles) + executing;
    prospect.rank = saving / prospect.cost;
    // If the compilation has already begun on another thread, its time is spent even if the
    // contestant gets no turn. So the cost of the turn does not include it.
    if (compiles && entry.asked) prospect.cost = beside(false) + executing;
  }
  return result;
}

std::optional<std::size_t> Prospects::next() const {
  const auto nothing_runs =
      std::none_of(entries_.begin(), entries_.end(), [](const auto& one) { return one.racing; });
  std::vector<std::size_t> waiting;
  for (const std::size_t index : order_) {
    if (entries_[index].had_turn) continue;
    if (nothing_runs || outlook_.is_exempt(index) || index == options_.favourite) return index;
    waiting.push_back(index);
  }
  return best_of(waiting);
}

std::optional<std::size_t> Prospects::next_to_compile(std::size_t current) const {
  std::vector<std::size_t> waiting;
  for (const std::size_t index : order_) {
    const ContestantState& entry = entries_[index];
    if (index != current && !entry.had_turn && entry.contestant->burden().compiles)
      waiting.push_back(index);
  }
  return best_of(waiting);
}

std::optional<std::size_t> Prospects::best_of(const std::vector<std::size_t>& waiting) const {
  if (waiting.empty()) return {};
  const std::vector<Prospect> prospects = all();
  std::optional<std::size_t> best;
  for (const std::size_t index : waiting)
    if (prospects[index].pays() && (!best || prospects[index].rank > prospects[*best].rank))
      best = index;
  return best;
}

std::string Prospects::refusal(const Prospect& prospect) const {
  return format("its turn would take {}, and is expected to save {} in {} calls",
                time_text(prospect.cost), time_text(prospect.gain), options_.expected_calls);
}

}  // namespace atc::tune
