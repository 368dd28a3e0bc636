// Judges contestants during a race, by their shortest batches so far: which contestant leads, and
// which contestants are hopelessly slow.
#pragma once

#include <cstddef>
#include <vector>

#include "tune/contestant_state.hpp"
#include "tune/options.hpp"

namespace atc::tune {

// A contestant is hopeless if an execution takes more than kHopeless times the leader's time: a
// disturbance does not explain such a difference. Its check is ended early, because a complete
// check of one such contestant can take longer than the checks of all others.
constexpr double kHopeless = 10;

// Judges the state of a race. The state must outlive this object.
class Outlook {
 public:
  Outlook(const std::vector<ContestantState>& entries, const Options& options)
      : entries_(entries), options_(options) {}

  bool is_default(std::size_t index) const { return index == options_.default_index; }
  // Returns whether the contestant remains in the race even if one or a few of its batches are
  // slow. True for the default and for a yardstick, such as LibTorch's own convolution
  // (Contestant::is_yardstick).
  bool is_exempt(std::size_t index) const {
    return is_default(index) || entries_[index].contestant->is_yardstick();
  }
  // Returns whether the race might end without a winner if this contestant did not take part: it is
  // the default, or the default is out and no other contestant is in the race. Such a contestant
  // takes part even if the budget is spent.
  bool is_needed(std::size_t index) const;

  // The shortest time of a call so far, of all contestants in the race, in seconds. Infinity if no
  // contestant ran.
  double leaders_time() const;
  // The longest time in seconds that an execution in the contestant's check may take. If the
  // execution takes longer, the contestant is hopeless.
  double patience(std::size_t index) const;
  bool is_hopeless(std::size_t index, double seconds) const;
  // Returns whether the contestant has turned out to be hopelessly slow, in its check or in its
  // timed batches.
  bool was_hopeless(std::size_t index) const;
  // The limit in seconds for one execution: a contestant whose execution takes longer is hopeless.
  double hopeless_time() const;
  // Returns whether the contestant's times can be compared with the times of other contestants.
  // False if other work than that of the race was seen on the device beside every batch of this
  // contestant, while another contestant had a batch without such work. Then the contestant may
  // look slow only because of that work.
  bool is_comparable(const ContestantState& entry) const;

 private:
  const std::vector<ContestantState>& entries_;
  const Options& options_;
};

}  // namespace atc::tune
