// Times several ways to do the same thing, in turn.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace atc::bench {

// A way of making calls that is compared with other ways. For each sample `before` runs, then
// `call` is timed, then `after` runs.
struct Way {
  std::string name;
  std::function<void()> call;
  std::function<void()> before{}, after{};
};

// The percentiles of a way's samples, in microseconds for one call.
struct Spread {
  std::string name;
  double p5, p25, median, p75, p95;
};

// Returns the times of each way. The ways take turns; a sample is the mean of `calls` calls in a
// row. Ten further rounds come first and do not count. `settle` runs before each sample.
std::vector<Spread> microseconds_in_turn(const std::vector<Way>& ways, int rounds, int calls,
                                         const std::function<void()>& settle);

}  // namespace atc::bench
