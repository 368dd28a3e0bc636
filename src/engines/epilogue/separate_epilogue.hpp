// Lets each engine and each rewrite compute problems with post-ops (core/post_ops.hpp): scale,
// residual and activation. The engine or rewrite computes the convolution, and then a pass
// (separate_pass.hpp) applies the post-ops. If an engine can also compute the post-ops itself, it
// has offers of both kinds. A race (the timing of offers) finds out which kind is faster.
#pragma once

#include <memory>

#include "engines/engine.hpp"
#include "engines/rewrite.hpp"

namespace atc {

// Returns an engine that wraps `engine`. For a problem without post-ops, it has the offers of
// `engine`. For a problem with post-ops, it has two kinds of offers. If Engine::computes_post_ops()
// is true, it has the offers of `engine` for the whole problem. It also has the offers of `engine`
// for the problem without the post-ops, each followed by a pass.
std::shared_ptr<const Engine> with_separate_epilogue(std::shared_ptr<const Engine> engine);

// Returns a rewrite that wraps `rewrite`. It rewrites a problem with post-ops like the problem
// without the post-ops, and a pass follows. So no rewrite has to convert the residual.
std::shared_ptr<const Rewrite> with_separate_epilogue(std::shared_ptr<const Rewrite> rewrite);

}  // namespace atc
