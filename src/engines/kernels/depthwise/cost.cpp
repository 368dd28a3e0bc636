#include "engines/kernels/depthwise/cost.hpp"

#include <algorithm>

#include "engines/kernels/depthwise/geometry.hpp"

namespace atc::depthwise {

void sort(std::vector<Choice>& choices) {
  std::stable_sort(choices.begin(), choices.end(),
                   [](const Choice& a, const Choice& b) { return a.cycles < b.cycles; });
}

double cycles_of(const March& march, int multiprocessors) {
  constexpr double kStart = 3000;  // the cycles of a block before its first step
  // The cycles that a warp waits in each step if no other warp runs.
  constexpr double kWait = 60;
  // The instructions that a scheduler of a multiprocessor issues per cycle.
  constexpr double kPace = 0.85;
  const auto wave = [&](std::int64_t blocks) {
    const double busy = static_cast<double>(blocks) * march.warps / 4 * march.instructions / kPace;
    return blocks == 0 ? 0 : kStart + march.steps * std::max(march.instructions + kWait, busy);
  };
  const auto blocks = ceil_div<std::int64_t>(march.blocks, multiprocessors);
  const std::int64_t waves = blocks / march.resident;
  return static_cast<double>(waves) * wave(march.resident) + wave(blocks % march.resident);
}

}  // namespace atc::depthwise
