// A rewritten problem made ready: operands moved, the rest of the chain executed, its result moved
// back, all on one stream.
#pragma once

#include <memory>

#include "engines/engine.hpp"
#include "engines/rewrite/crossing.hpp"

namespace atc::rewrite {

// `rest` computes passage.problem.
std::unique_ptr<Prepared> prepare(const Problem& problem, const Limits& limits,
                                  const Passage& passage, std::unique_ptr<Prepared> rest);

}  // namespace atc::rewrite
