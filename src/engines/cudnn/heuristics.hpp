// The configurations that cuDNN's heuristics propose for a problem.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engines/cudnn/graph.hpp"
#include "engines/cudnn/notes.hpp"

namespace atc::cudnn {

// Passes the proposals of mode A, then of mode fallback (not of mode B: docs/adr/README.md, 16),
// best first, each configuration once, to `take` until `take` returns false. A mode is asked, and a
// configuration read, only when its turn comes. If a mode fails or its list is empty, the other is
// asked. Returns cuDNN's message of the last failure, or "". With several graphs, `take` gets the
// first entries of their lists of a mode, then the second, and so on, each with the index of its
// graph.
std::string propose(const std::vector<Graph>& graphs,
                    const std::function<bool(Notes, std::size_t graph)>& take);

}  // namespace atc::cudnn
