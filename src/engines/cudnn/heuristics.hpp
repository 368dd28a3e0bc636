// What cuDNN's heuristics propose for a graph.
#pragma once

#include <string>
#include <vector>

#include "engines/cudnn/graph.hpp"
#include "engines/cudnn/notes.hpp"

namespace atc::cudnn {

// Mode A's list, best first, then the fallback's; each configuration once.
std::vector<Notes> propose(const Graph& graph);

}  // namespace atc::cudnn
