// Lets each engine of the CPU compute problems with an ending (core/ending.hpp): scale, residual
// and activation. The engine computes the convolution. Then a loop of atc's own over the output (a
// pass) applies the ending. If the engine can also compute the ending itself, it has offers of both
// kinds, and a race (the timing of offers) compares them.
#pragma once

#include <memory>

#include "engines/engine.hpp"

namespace atc {

// Returns an engine that wraps `engine`. For a problem without an ending, its offers are those of
// `engine`. For a problem with an ending, it has two kinds of offers: those of `engine` for the
// whole problem (if Engine::computes_ending), and those of `engine` for the problem without the
// ending, each followed by a pass.
std::shared_ptr<const Engine> with_separate_ending(std::shared_ptr<const Engine> engine);

}  // namespace atc
