// Selects the samples (timed batches) of each contestant that count, and computes statistics from
// them. A sample does not count if, for example, other work was on the device.
#pragma once

#include <cstddef>
#include <vector>

#include "tune/contestant_state.hpp"

namespace atc::tune {

// The logarithms of the times of the contestants that are still in the race: logs[member][i], where
// i counts the rounds that are kept.
struct Table {
  std::vector<std::size_t> members;
  std::vector<Burden> burdens;
  std::vector<std::vector<double>> logs;
  // The logarithms of the times of eager calls, with the same indices as `logs`. The time of an
  // eager call is the longer of the host's time and the device's time.
  std::vector<std::vector<double>> costs;
  // The logarithms of the times of contestants that have left the race. They are used only to
  // estimate the noise.
  std::vector<std::vector<double>> gone;
  std::size_t rounds = 0;  // the number of rounds of the race that count
  // The number of rounds that do not count, because during some batch other work was on the device,
  // the device was throttled, or the clock differed from the contestant's usual clock. A bad first
  // round is not counted here.
  std::size_t discarded = 0;
  std::size_t shared = 0;  // the number of rounds in which other work was on the device
  // False if no round counts. In this case `logs` contains the rounds that do not count.
  bool trusted = true;
};
// Makes the table of the contestants that are still in the race. `order` lists all contestants that
// may take part. The samples of those that have left the race are used only to estimate the noise.
Table tabulate(const std::vector<ContestantState>& entries, const std::vector<std::size_t>& order);

// Fills the statistics of a contestant's standing from the samples that count. If `under_load` is
// true, all samples count, including throttled ones.
void summarize(ContestantState& entry, bool under_load);

}  // namespace atc::tune
