// Stores the decision of an exploration. (An exploration lets the program's own calls try
// candidates.)
#pragma once

#include "conv/beside/layer.hpp"

namespace atc::conv::beside {

// Stores the decision of the layer (one convolution problem) in the process's memory, and in the
// store that the layer's calls use. From then on these calls run the decided choice. Cached plans
// of other problems remain as they are. Returns false if there is no decision, or if the store is
// closed.
bool keep_decision(Layer& layer);

}  // namespace atc::conv::beside
