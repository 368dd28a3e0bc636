// Prepares a rewritten problem for execution. An execution converts the operands, executes the rest
// of the chain (further rewrites and the engine), and converts the result back. All of this work is
// on one stream.
#pragma once

#include <memory>

#include "engines/engine.hpp"
#include "engines/rewrite/crossing.hpp"

namespace atc::rewrite {

// Returns an object that computes `problem`. `rest`, the rest of the chain, must compute the
// rewritten problem passage.problem.
std::unique_ptr<Prepared> prepare(const Problem& problem, const Limits& limits,
                                  const Passage& passage, std::unique_ptr<Prepared> rest);

}  // namespace atc::rewrite
