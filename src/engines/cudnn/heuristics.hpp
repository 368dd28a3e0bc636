// The configurations that cuDNN's heuristics propose for a problem.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engines/cudnn/graph.hpp"
#include "engines/cudnn/notes.hpp"

namespace atc::cudnn {

// Passes the proposals of cuDNN's heuristics to `take`, the best first, each configuration once,
// until `take` returns false. First come the proposals of mode A, then those of mode fallback (mode
// B is not used: docs/adr/README.md, 16). A mode is asked, and a configuration is read, only when
// its turn comes. If one mode fails or its list is empty, the other mode is still asked. Returns
// cuDNN's message of the last failure, or "". If there are several graphs, `take` first gets the
// first entry of each graph's list of a mode, then the second entries, and so on, each with the
// index of its graph.
std::string propose(const std::vector<Graph>& graphs,
                    const std::function<bool(Notes, std::size_t graph)>& take);

}  // namespace atc::cudnn
