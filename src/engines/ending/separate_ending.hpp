// Problems with an ending (core/ending.hpp) on any engine of the CPU: the engine computes the
// convolution, and a pass of atc's own over the output applies the ending. If the engine can also
// compute the ending itself, its own offers race against these.
#pragma once

#include <memory>

#include "engines/engine.hpp"

namespace atc {

// Returns an engine that is like `engine` for problems without an ending. For a problem with one,
// it has the offers of `engine` for this problem (Engine::computes_ending), and an offer for each
// offer that `engine` has for the problem without the ending.
std::shared_ptr<const Engine> with_separate_ending(std::shared_ptr<const Engine> engine);

}  // namespace atc
