// Returns the configurations that cuDNN's heuristics propose for a problem.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engines/cudnn/graph.hpp"
#include "engines/cudnn/notes.hpp"

namespace atc::cudnn {

// cuDNN's heuristics have several modes, of which atc queries the modes A and fallback (mode B is
// not used: docs/adr/README.md, 16). This function calls `take` with one proposal after the other,
// until `take` returns false: first with all proposals of mode A, the best first, then with all
// proposals of mode fallback. If there are several graphs, the first proposal of each graph is
// passed, then the second proposal of each graph, and so on. The argument `graph` of `take` is the
// index of the proposal's graph. No configuration of a graph is passed twice. After `take` has
// returned false, no further mode is queried and no further configuration is read. If one mode
// fails or has no proposals, the other mode is still queried. Returns cuDNN's message of the last
// failure, or "".
std::string propose(const std::vector<Graph>& graphs,
                    const std::function<bool(Notes, std::size_t graph)>& take);

}  // namespace atc::cudnn
