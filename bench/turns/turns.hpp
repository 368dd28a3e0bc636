// Times several ways to do the same thing. The ways take turns.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace atc::bench {

// A way to do something. A benchmark compares the times of several ways to do the same thing. For
// each sample `before` runs first. Then `call` runs several times and is timed. Then `after` runs.
struct Way {
  std::string name;
  std::function<void()> call;
  std::function<void()> before{}, after{};
};

// The percentiles of the samples of a way (one of the compared ways), in microseconds for one call.
struct Spread {
  std::string name;
  double p5, p25, median, p75, p95;
};

// Times the ways in rounds and returns the percentiles for each way. In a round each way has one
// sample: the mean time of `calls` calls in a row. `settle` runs before each sample, after
// `before`. Ten warm-up rounds come first, whose samples are not used.
std::vector<Spread> microseconds_in_turn(const std::vector<Way>& ways, int rounds, int calls,
                                         const std::function<void()>& settle);

}  // namespace atc::bench
