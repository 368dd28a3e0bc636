// The progress of a race (the comparison of candidates by their times).
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

namespace atc::tune {

struct Progress {
  // Units of work of this race: the units that are done, and all units. `total` may grow.
  std::size_t done = 0, total = 0;
  // The contestant that is prepared, checked or timed next. The contestant is reported before its
  // work begins. So if the process crashes, it is known which contestant was at work.
  std::optional<std::size_t> contestant;
};
using OnProgress =
    // The callback that receives the progress. If it returns false, the race is cancelled.
    // Decisions of earlier races are kept.
    std::function<bool(const Progress&)>;

}  // namespace atc::tune
