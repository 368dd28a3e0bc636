#include "tune/outlook.hpp"

#include <algorithm>
#include <limits>
#include <string>

namespace atc::tune {

namespace {

// Multiple of the leader's time. No disturbance makes a candidate that slow, and a whole check of
// such a candidate would take longer than all the others.
constexpr double kHopeless = 10;

// No further candidate is compiled once the last one that was took more than kPlainlyInVain times
// the leader's time, or the last two took more than kInVain times it: by their engine's own order
// those were the better ones.
constexpr std::size_t kCompiledInVain = 2;
constexpr double kInVain = 1.5, kPlainlyInVain = 2;

// A family is put last once this many of it ran, all slower than this multiple of the leader's
// time.
constexpr std::size_t kFewOfAFamily = 2;
constexpr double kSlowFamily = 3;

}  // namespace

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

double Outlook::patience(std::size_t index) const {
  const double hopeless = kHopeless * leaders_time();
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

bool Outlook::has_hopeless_kin(std::size_t index) const {
  const std::string kin = entries_[index].contestant->kin();
  if (kin.empty()) return false;
  bool any = false;
  for (const std::size_t other : order_) {
    if (other == index || entries_[other].contestant->kin() != kin) continue;
    if (was_hopeless(other))
      any = true;
    else if (entries_[other].fastest > 0)
      return false;
  }
  return any;
}

bool Outlook::has_slow_family(std::size_t index) const {
  const std::string family = entries_[index].contestant->family();
  if (family.empty() || is_exempt(index)) return false;
  const double slow = kSlowFamily * leaders_time();
  std::size_t ran = 0;
  for (const ContestantState& entry : entries_) {
    if (entry.fastest == 0 || entry.contestant->family() != family) continue;
    if (entry.fastest <= slow) return false;
    ++ran;
  }
  return ran >= kFewOfAFamily;
}

bool Outlook::is_compiling_in_vain() const {
  const double best = leaders_time();
  std::size_t in_vain = 0;
  for (const std::size_t index : order_) {
    const ContestantState& entry = entries_[index];
    if (!entry.contestant->burden().compiles) continue;
    const bool comparable = is_comparable(entry);
    if (was_hopeless(index) || (comparable && entry.fastest > kPlainlyInVain * best))
      in_vain += kCompiledInVain;
    else if (comparable && entry.fastest > kInVain * best)
      ++in_vain;
    else if (comparable && entry.fastest > 0)
      in_vain = 0;
  }
  return in_vain >= kCompiledInVain;
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
