// The room: the set of all layers that are explored now (layer.hpp), and the worker thread. The
// worker thread checks and admits candidates, and stores decisions.
#pragma once

#include <memory>

#include "conv/beside/layer.hpp"

namespace atc::conv::beside {

// The largest number of layers that are explored at the same time. Calls of further layers run by
// the decision that is known, or by the default. If the plan of a call without a layer is made
// anew, the call tries again to add its layer.
constexpr std::size_t kMostLayers = 4096;

// Returns the layer of a call that has no decision of its own and runs by `decision`. The layer is
// new, or is one that other calls of the same problem already explore. Null is returned in three
// cases: exploring would break a promise to the caller (this is logged once), exploring this
// problem has been tried in vain, or there are kMostLayers layers.
std::shared_ptr<Layer> layer_for(const Problem& problem, const Request& request,
                                 const Decision& decision);

// Wakes the worker, so that it looks for work in the layers. Starts the worker if there is none.
void wake_worker() noexcept;

// Ends the exploration of all layers. A problem is explored anew when its plan is made anew, even
// if an earlier exploration of the problem was in vain. If `waits` is true, waits until the worker
// uses no engine, but at most one minute.
void abandon_layers(bool waits) noexcept;

}  // namespace atc::conv::beside
