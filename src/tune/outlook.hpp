// Judges contestants while a race goes on, by their fastest batches so far: which one leads, and
// which ones are hopelessly slow.
#pragma once

#include <cstddef>
#include <vector>

#include "tune/contestant_state.hpp"
#include "tune/options.hpp"

namespace atc::tune {

// A contestant that takes more than this multiple of the leader's time is hopeless. No disturbance
// makes a contestant that slow, and a whole check of it would take longer than the checks of all
// the others.
constexpr double kHopeless = 10;

// A view of the state of a race. The state must outlive the view.
class Outlook {
 public:
  Outlook(const std::vector<ContestantState>& entries, const Options& options)
      : entries_(entries), options_(options) {}

  bool is_default(std::size_t index) const { return index == options_.default_index; }
  // Whether one or a few slow batches must not put the contestant out. True for the default and for
  // a yardstick (Contestant::is_yardstick).
  bool is_exempt(std::size_t index) const {
    return is_default(index) || entries_[index].contestant->is_yardstick();
  }
  // Whether nothing else would run without this contestant: it is the default, or the default is
  // out and no other contestant runs. A contestant that is needed takes part even if the budget is
  // spent.
  bool is_needed(std::size_t index) const;

  double leaders_time() const;               // seconds per call of the fastest contestant so far;
                                             // infinity if none ran
  double patience(std::size_t index) const;  // the seconds that a contestant's execution in its
                                             // check may take
  bool is_hopeless(std::size_t index, double seconds) const;
  // Whether the contestant was hopeless in its check or in its batches.
  bool was_hopeless(std::size_t index) const;
  // The time in seconds from which on an execution makes a contestant hopeless.
  double hopeless_time() const;
  // Whether the contestant's times can be compared with others. False if other work was seen at
  // every batch of this contestant, while a contestant that is still in the race had a batch
  // without other work. Then this contestant may only look slow.
  bool is_comparable(const ContestantState& entry) const;

 private:
  const std::vector<ContestantState>& entries_;
  const Options& options_;
};

}  // namespace atc::tune
