// How far a race has come.
#pragma once

#include <cstddef>
#include <functional>

namespace atc::tune {

struct Progress {
  std::size_t done = 0, total = 0;  // work units of this race, total may grow
};
using OnProgress =
    std::function<bool(const Progress&)>;  // false cancels; earlier decisions are kept

}  // namespace atc::tune
