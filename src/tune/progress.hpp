// The progress of a race.
#pragma once

#include <cstddef>
#include <functional>

namespace atc::tune {

struct Progress {
  std::size_t done = 0, total = 0;  // units of work of this race; `total` may grow
};
using OnProgress =
    std::function<bool(const Progress&)>;  // returns false to cancel; earlier decisions are kept

}  // namespace atc::tune
