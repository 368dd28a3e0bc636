// The room: the set of all layers that are explored now (layer.hpp), and the worker thread. The
// worker thread checks and admits candidates, and stores decisions.
#pragma once

#include <memory>

#include "conv/beside/layer.hpp"

namespace atc::conv::beside {

// The largest number of layers (problems for which calls try candidates) at the same time. If there
// are so many, no layer is made for a further problem: its calls run the decision that is known, or
// the default. Whenever the plan of such a call is made anew, atc tries to make a layer again.
constexpr std::size_t kMostLayers = 4096;

// Returns the layer of a problem that has not been decided by a measurement. The problem's calls
// run the choice of `decision` until the problem is decided. The layer is new, unless other calls
// already explore the problem. Returns null in four cases: exploring would break a promise to the
// caller (this is logged once), exploring this problem has been tried in vain, there are
// kMostLayers layers, or the worker thread has ended.
std::shared_ptr<Layer> layer_for(const Problem& problem, const Request& request,
                                 const Decision& decision);

// Wakes the worker, so that it looks for work in the layers. Starts the worker if there is none.
void wake_worker() noexcept;

// Ends the exploration of all layers. A problem is explored anew when its plan is made anew, even
// if an earlier exploration of the problem was in vain. If `waits` is true, waits until the worker
// uses no engine, but at most one minute.
void abandon_layers(bool waits) noexcept;

}  // namespace atc::conv::beside
