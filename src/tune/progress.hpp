// The progress of a race.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

namespace atc::tune {

struct Progress {
  std::size_t done = 0, total = 0;  // units of work of this race; `total` may grow
  // The contestant that is prepared, checked or timed next. Told before its work begins, so that it
  // is known which one has ended the process.
  std::optional<std::size_t> contestant;
};
using OnProgress =
    std::function<bool(const Progress&)>;  // returns false to cancel; earlier decisions are kept

}  // namespace atc::tune
