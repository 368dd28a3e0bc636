// Plans the tuning work that runs beside the program. A layer is one convolution problem. To
// explore a layer is to check candidates for it and to time them in the program's own calls. The
// agenda decides when a layer is explored, which layer comes first, and how much time the work may
// take.
#pragma once

#include "tune/picks.hpp"

namespace atc::tune {

// Exploring a layer has to save as much time as it costs within this number of future calls of the
// layer. If the program has already made more calls of the layer than this, the time has to be
// saved within as many future calls as the program has already made.
constexpr double kCallsToPay = 1000;
// The largest number of candidates that are checked for one layer: kMostPicks if the checks use the
// device that the program uses at the same time (a GPU), kMostPicksOnIdleCores if they use idle
// cores (on the CPU).
constexpr std::size_t kMostPicks = 3, kMostPicksOnIdleCores = 6;

// Returns the number of future calls that are expected of a layer. A program that has made many
// calls is expected to make as many again. `most` is the number of calls that the user expects; the
// result is never larger.
double calls_to_come(double calls_so_far, double most);

// Returns how urgent it is to explore a layer: the larger the number, the earlier its candidates
// are checked. `pick` is the layer's most promising candidate. Returns 0 if trying it is not
// expected to save, within `to_come` calls, more time than it costs.
double urgency(const Pick& pick, double calls_so_far, double to_come);

// Limits the time that the tuning work may take on a device that the program is using. The account
// has a balance in seconds. Work lowers the balance by the time that it takes, and begins only
// while the balance is not negative. The account begins with a credit, so that the most urgent
// layers are explored at once. The caller passes the current time `now`, in seconds. The balance
// grows by a small part of the elapsed time, and by half of the time that the decisions so far
// save. So a program that gains nothing pays little, and a program that gains much gets its other
// decisions soon.
class Account {
 public:
  explicit Account(double now);

  void worked(double now, double seconds);
  // Adds a decision that saves the fraction `part_of_time` of the program's time from `now` on.
  void saves(double now, double part_of_time);
  // Returns the time at which the work may continue, when the balance is not negative any more. It
  // is `now` if the work may continue at once.
  double next_work(double now) const;

 private:
  double balance(double now) const;
  double growth() const;  // growth of the balance, in seconds per second

  // `balance_` is the balance in seconds at the time `at_`.
  double balance_, at_;
  double saved_ = 0;  // the part of the time (a fraction) that all decisions so far save
};

}  // namespace atc::tune
