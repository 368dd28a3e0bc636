// What cuDNN's heuristics propose for a problem.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engines/cudnn/graph.hpp"
#include "engines/cudnn/notes.hpp"

namespace atc::cudnn {

// Modes A and fallback (ADR 16 says why not B), best first, each configuration once, until `take`
// says false: a mode whose turn does not come is not asked, a configuration not read. An empty list
// is not an error, nor is a mode that fails while another may answer: what cuDNN said of the last
// such failure is returned, "" where there was none.
// Of several graphs the lists of a mode are merged in turn; `take` is told whose it is.
std::string propose(const std::vector<Graph>& graphs,
                    const std::function<bool(Notes, std::size_t graph)>& take);

}  // namespace atc::cudnn
