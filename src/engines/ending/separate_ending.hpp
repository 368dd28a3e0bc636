// Problems with an ending (core/ending.hpp) on engines that compute none: the engine computes the
// convolution, and a pass of atc's own over the output applies the ending.
#pragma once

#include <memory>

#include "engines/engine.hpp"

namespace atc {

// Returns an engine that is like `engine` for problems without an ending. For a problem with one,
// it has an offer for each offer that `engine` has for the problem without the ending.
std::shared_ptr<const Engine> with_separate_ending(std::shared_ptr<const Engine> engine);

}  // namespace atc
