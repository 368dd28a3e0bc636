// The room in which layers are explored: all layers that are explored now, and the worker thread
// that admits candidates and keeps decisions.
#pragma once

#include <memory>

#include "conv/beside/layer.hpp"

namespace atc::conv::beside {

// The largest number of layers that are explored at the same time. The calls of further layers run
// what is known, and look again when their plans are made anew.
constexpr std::size_t kMostLayers = 4096;

// Returns the layer of a call that found no decision of its own and runs by `decision`: a new
// layer, or the layer that other calls of the same problem explore already. Null if exploring would
// break a promise (then one message says why), or if it has been tried in vain.
std::shared_ptr<Layer> layer_for(const Problem& problem, const Request& request,
                                 const Decision& decision);

// Lets the worker look at the layers. Starts the worker if there is none.
void wake_worker() noexcept;

// Abandons all layers. They, and the problems that were explored in vain, are explored anew when
// their plans are made anew. If `waits` is true, waits until the worker holds no engine, but at
// most for a minute.
void abandon_layers(bool waits) noexcept;

}  // namespace atc::conv::beside
