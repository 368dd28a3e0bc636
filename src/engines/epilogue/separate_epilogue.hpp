// Lets each engine of the CPU compute problems with post-ops (core/post_ops.hpp): scale, residual
// and activation. The engine computes the convolution, and then a loop of atc's own over the output
// (a pass) applies the post-ops. If the engine can also compute the post-ops itself, it has offers
// of both kinds. A race (the timing of offers) finds out which kind is faster.
#pragma once

#include <memory>

#include "engines/engine.hpp"

namespace atc {

// Returns an engine that wraps `engine`. For a problem without post-ops, it has the offers of
// `engine`. For a problem with post-ops, it has two kinds of offers. If Engine::computes_post_ops()
// is true, it has the offers of `engine` for the whole problem. It also has the offers of `engine`
// for the problem without the post-ops, each followed by a pass.
std::shared_ptr<const Engine> with_separate_epilogue(std::shared_ptr<const Engine> engine);

}  // namespace atc
