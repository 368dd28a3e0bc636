// The configurations that cuDNN's heuristics propose for a problem.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engines/cudnn/graph.hpp"
#include "engines/cudnn/notes.hpp"

namespace atc::cudnn {

// Passes the proposals of mode A, then of mode fallback (ADR 16 says why not B), best first, each
// configuration once, to `take` until that returns false. A mode is asked, and a configuration
// read, only when its turn comes. Neither an empty list nor a mode that fails is an error, because
// the other mode may answer; returns cuDNN's message of the last such failure, or "".
// With several graphs, `take` gets the first entries of their lists of a mode, then the second, and
// so on, each with the index of its graph.
std::string propose(const std::vector<Graph>& graphs,
                    const std::function<bool(Notes, std::size_t graph)>& take);

}  // namespace atc::cudnn
