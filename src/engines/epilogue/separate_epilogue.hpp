// Lets each engine of the CPU compute problems with post-ops (core/post_ops.hpp): scale, residual
// and activation. The engine computes the convolution. Then a loop of atc's own over the output (a
// pass) applies the post-ops. If the engine can also compute the post-ops itself, it has offers of
// both kinds, and a race (the timing of offers) compares them.
#pragma once

#include <memory>

#include "engines/engine.hpp"

namespace atc {

// Returns an engine that wraps `engine`. For a problem without post-ops, the returned engine has
// the offers of `engine`. For a problem with post-ops, the returned engine has two kinds of offers:
// those of `engine` for the whole problem (if Engine::computes_post_ops), and those of `engine` for
// the problem without the post-ops, each followed by a pass.
std::shared_ptr<const Engine> with_separate_epilogue(std::shared_ptr<const Engine> engine);

}  // namespace atc
