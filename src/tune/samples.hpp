// The samples of contestants: which of them count, and their figures.
#pragma once

#include <cstddef>
#include <vector>

#include "tune/contestant_state.hpp"

namespace atc::tune {

// Times of the contestants still racing, round by round: logs[member][kept round].
struct Table {
  std::vector<std::size_t> members;
  std::vector<Burden> burdens;
  std::vector<std::vector<double>> logs;
  std::vector<std::vector<double>> costs;  // likewise of eager calls: host or device, the longer
  std::vector<std::vector<double>> gone;   // likewise of those out of the race, to judge the noise
  std::size_t rounds = 0;                  // that count
  std::size_t discarded = 0;  // shared, throttled or under another clock; the first round aside
  std::size_t shared = 0;     // rounds beside other work on the device
  bool trusted = true;        // false: no round was left, so those discarded are in `logs`
};
// `order`: the contestants that had a turn; samples of those that have left count for the
// noise.
Table tabulate(const std::vector<ContestantState>& entries, const std::vector<std::size_t>& order);

// Fills the statistics of a standing from the samples that count. With `under_load`, throttled
// samples count, too.
void summarize(ContestantState& entry, bool under_load);

}  // namespace atc::tune
