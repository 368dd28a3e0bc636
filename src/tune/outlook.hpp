// The prospects of the contestants while a race goes on, by their fastest batches so far.
#pragma once

#include <cstddef>
#include <vector>

#include "tune/contestant_state.hpp"
#include "tune/options.hpp"

namespace atc::tune {

// A view of the state of a race, which outlives it.
class Outlook {
 public:
  // `order`: contestants in the order they are prepared.
  Outlook(const std::vector<ContestantState>& entries, const std::vector<std::size_t>& order,
          const Options& options)
      : entries_(entries), order_(order), options_(options) {}

  bool is_default(std::size_t index) const { return index == options_.default_index; }
  // Whether one batch, or a few, may not put it out: it is the default or a yardstick.
  bool is_exempt(std::size_t index) const {
    return is_default(index) || entries_[index].contestant->is_yardstick();
  }
  bool is_spare(std::size_t index) const {
    return !is_default(index) && index + options_.spares >= entries_.size();
  }
  // Whether the race has nothing that runs without this contestant: it is the default, or the
  // default is out and no other runs. The budget does not keep it out.
  bool is_needed(std::size_t index) const;

  double leaders_time() const;               // seconds per call; infinity: none ran
  double patience(std::size_t index) const;  // seconds for an execution in its check
  bool is_hopeless(std::size_t index, double seconds) const;
  bool was_hopeless(std::size_t index) const;      // in its check or its batches
  bool has_hopeless_kin(std::size_t index) const;  // of its kin some ran, all hopeless
  // Whether others of its family ran, and all were far behind.
  bool has_slow_family(std::size_t index) const;
  // Whether the last compiled contestants fell behind, so that no further one is compiled.
  bool is_compiling_in_vain() const;

 private:
  // False if other work was seen at every batch of this contestant, while a contestant that is
  // still racing had a batch without other work: this one may only look slow.
  bool is_comparable(const ContestantState& entry) const;

  const std::vector<ContestantState>& entries_;
  const std::vector<std::size_t>& order_;
  const Options& options_;
};

}  // namespace atc::tune
