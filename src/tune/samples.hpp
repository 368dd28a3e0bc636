// Selects the samples of contestants that count, and computes their figures.
#pragma once

#include <cstddef>
#include <vector>

#include "tune/contestant_state.hpp"

namespace atc::tune {

// The logarithms of the times of the contestants that are still in the race, by round:
// logs[member][kept round].
struct Table {
  std::vector<std::size_t> members;
  std::vector<Burden> burdens;
  std::vector<std::vector<double>> logs;
  // Like `logs`, for the time of an eager call: the longer of the host's and the device's time.
  std::vector<std::vector<double>> costs;
  // Like `logs`, for contestants that have left the race. Only the noise is estimated from them.
  std::vector<std::vector<double>> gone;
  std::size_t rounds = 0;  // the number of rounds that count
  // The number of rounds that do not count: other work was on the device, or it was throttled, or
  // its clock differed. The first round is not included.
  std::size_t discarded = 0;
  std::size_t shared = 0;  // the number of rounds in which other work was on the device
  bool trusted = true;     // false if no round counts; then `logs` has the discarded rounds
};
// Makes the table of the contestants in `order`, which are those that had a turn. The samples of
// contestants that have left are used only for the noise.
Table tabulate(const std::vector<ContestantState>& entries, const std::vector<std::size_t>& order);

// Fills the statistics of a standing from the samples that count. If `under_load` is true,
// throttled samples count, too.
void summarize(ContestantState& entry, bool under_load);

}  // namespace atc::tune
