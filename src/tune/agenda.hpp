// The agenda of the work beside the program: when a layer is explored, which layer comes first, and
// how much time the work may take.
#pragma once

#include "tune/picks.hpp"

namespace atc::tune {

// Exploring a layer has to pay within this number of its calls, or within as many calls as the
// program has made already.
constexpr double kCallsToPay = 1000;
// The largest number of candidates of a layer that are checked on a device which the program uses
// at the same time, and where checks have idle cores.
constexpr std::size_t kMostPicks = 3, kMostPicksOnIdleCores = 6;

// The number of future calls that are expected of a layer. A program that has made many calls is
// expected to make as many again. `most` is the number of calls that the user expects.
double calls_to_come(double calls_so_far, double most);

// How urgent it is to explore a layer whose best candidate is `pick`. The layer with the largest
// number comes first. 0 if exploring does not pay within `to_come` calls.
double urgency(const Pick& pick, double calls_so_far, double to_come);

// The time that the work may take on a device that the program is using, on a clock in seconds. The
// account begins with a credit, so that the most urgent layers are explored at once. It grows by a
// small part of the time, and by half of the time that the decisions so far save: a program that
// gains nothing pays little, and a program that gains much gets its other decisions soon.
class Account {
 public:
  explicit Account(double now);

  void worked(double now, double seconds);
  // From now on calls save this part of the time.
  void saves(double now, double part_of_time);
  // The moment from which the work may go on; `now` if it may go on at once.
  double next_work(double now) const;

 private:
  double balance(double now) const;
  double growth() const;  // seconds per second

  double balance_, at_;  // the balance in seconds at this moment
  double saved_ = 0;     // the part of the time that all decisions save
};

}  // namespace atc::tune
