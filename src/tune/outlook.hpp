// The prospects of the contestants while a race goes on, by their fastest batches so far.
#pragma once

#include <cstddef>
#include <vector>

#include "tune/contestant_state.hpp"
#include "tune/options.hpp"

namespace atc::tune {

// Multiple of the leader's time. No disturbance makes a candidate that slow, and a whole check of
// such a candidate would take longer than all the others.
constexpr double kHopeless = 10;

// A view of the state of a race, which outlives it.
class Outlook {
 public:
  Outlook(const std::vector<ContestantState>& entries, const Options& options)
      : entries_(entries), options_(options) {}

  bool is_default(std::size_t index) const { return index == options_.default_index; }
  // Whether one batch, or a few, may not put it out: it is the default or a yardstick.
  bool is_exempt(std::size_t index) const {
    return is_default(index) || entries_[index].contestant->is_yardstick();
  }
  // Whether the race has nothing that runs without this contestant: it is the default, or the
  // default is out and no other runs. The budget does not keep it out.
  bool is_needed(std::size_t index) const;

  double leaders_time() const;               // seconds per call; infinity: none ran
  double patience(std::size_t index) const;  // seconds for an execution in its check
  bool is_hopeless(std::size_t index, double seconds) const;
  bool was_hopeless(std::size_t index) const;  // in its check or its batches
  double hopeless_time() const;  // seconds for an execution of a contestant that is out by it
  // False if other work was seen at every batch of this contestant, while a contestant that is
  // still racing had a batch without other work: this one may only look slow.
  bool is_comparable(const ContestantState& entry) const;

 private:
  const std::vector<ContestantState>& entries_;
  const Options& options_;
};

}  // namespace atc::tune
