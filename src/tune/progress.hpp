// The progress of a race.
#pragma once

#include <cstddef>
#include <functional>

namespace atc::tune {

struct Progress {
  std::size_t done = 0, total = 0;  // units of work of this race that are done, and of all; `total`
                                    // may grow
};
using OnProgress =
    std::function<bool(const Progress&)>;  // reports the progress. Returns false to cancel;
                                           // decisions that were made earlier are kept

}  // namespace atc::tune
