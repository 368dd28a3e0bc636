#include "tune/agenda.hpp"

#include <algorithm>

namespace atc::tune {

namespace {

// Constants of the account (class Account), which limits the time that tuning takes from the
// program. kCredit, in seconds, is the balance at the start and the largest balance. In each second
// the balance grows by kLeastGrowth plus kOfSavings * the fraction of the program's time that the
// decisions save, but at most by kMostGrowth seconds.
constexpr double kCredit = 0.03, kLeastGrowth = 0.004, kOfSavings = 0.5, kMostGrowth = 0.25;

}  // namespace

double calls_to_come(double calls_so_far, double most) {
  return std::min(most, std::max(kCallsToPay, calls_so_far));
}

double urgency(const Pick& pick, double calls_so_far, double to_come) {
  if (pick.saving * to_come <= pick.cost) return 0;
  return pick.saving * std::max(calls_so_far, 1.0) / pick.cost;
}

Account::Account(double now) : balance_(kCredit), at_(now) {}

double Account::growth() const { return std::min(kMostGrowth, kLeastGrowth + kOfSavings * saved_); }

double Account::balance(double now) const {
  return std::min(kCredit, balance_ + growth() * (now - at_));
}

void Account::worked(double now, double seconds) {
  balance_ = balance(now) - seconds;
  at_ = now;
}

void Account::saves(double now, double part_of_time) {
  balance_ = balance(now);
  at_ = now;
  saved_ += part_of_time;
}

double Account::next_work(double now) const {
  const double missing = -balance(now);
  return missing > 0 ? now + missing / growth() : now;
}

}  // namespace atc::tune
