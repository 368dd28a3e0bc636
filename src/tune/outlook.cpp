#include "tune/outlook.hpp"

#include <algorithm>
#include <limits>

namespace atc::tune {

bool Outlook::is_needed(std::size_t index) const {
  if (is_default(index)) return true;
  if (!entries_[options_.default_index].had_turn) return false;
  return std::none_of(entries_.begin(), entries_.end(), [&](const ContestantState& entry) {
    return entry.racing && &entry != &entries_[index];
  });
}

double Outlook::leaders_time() const {
  double best = std::numeric_limits<double>::infinity();
  for (const ContestantState& entry : entries_)
    if (entry.racing && entry.fastest > 0) best = std::min(best, entry.fastest);
  return best;
}

double Outlook::hopeless_time() const { return kHopeless * leaders_time(); }

double Outlook::patience(std::size_t index) const {
  const double hopeless = hopeless_time();
  if (is_default(index)) return options_.budget_seconds;
  return is_exempt(index) ? std::max(hopeless, options_.budget_seconds) : hopeless;
}

bool Outlook::is_hopeless(std::size_t index, double seconds) const {
  return !is_default(index) && seconds > patience(index);
}

bool Outlook::was_hopeless(std::size_t index) const {
  const ContestantState& entry = entries_[index];
  const bool in_its_check = entry.standing.outcome == Outcome::dropped && entry.fastest == 0;
  return in_its_check || (is_comparable(entry) && is_hopeless(index, entry.fastest));
}

bool Outlook::is_comparable(const ContestantState& entry) const {
  const auto alone = [](const ContestantState& one) {
    return std::any_of(one.samples.begin(), one.samples.end(),
                       [](const Sample& sample) { return !sample.shared; });
  };
  return entry.samples.empty() || alone(entry) ||
         std::none_of(entries_.begin(), entries_.end(),
                      [&](const ContestantState& one) { return one.racing && alone(one); });
}

}  // namespace atc::tune
