// The progress of a race.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

namespace atc::tune {

struct Progress {
  std::size_t done = 0, total = 0;  // units of work of this race that are done, and of all; `total`
                                    // may grow
  // The contestant that is prepared, checked or timed next. It is reported before its work begins,
  // so that it is known which contestant has ended the process.
  std::optional<std::size_t> contestant;
};
using OnProgress =
    std::function<bool(const Progress&)>;  // reports the progress. Returns false to cancel;
                                           // decisions that were made earlier are kept

}  // namespace atc::tune
