// A rewritten problem that is ready to run. An execution moves the operands, executes the rest of
// the chain, and moves its result back, all on one stream.
#pragma once

#include <memory>

#include "engines/engine.hpp"
#include "engines/rewrite/crossing.hpp"

namespace atc::rewrite {

// `rest` computes passage.problem.
std::unique_ptr<Prepared> prepare(const Problem& problem, const Limits& limits,
                                  const Passage& passage, std::unique_ptr<Prepared> rest);

}  // namespace atc::rewrite
