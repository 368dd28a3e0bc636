// Admits candidates to the exploration of a layer: picks those that are likely to pay, and passes
// each through the correctness gate.
#pragma once

#include <functional>

#include "conv/beside/layer.hpp"

namespace atc::conv::beside {

// The largest number of candidates of a layer that calls of the program try.
constexpr std::size_t kMostCandidates = 6;

// Admits candidates one after the other. `go_on` is called between them, with the seconds that the
// last one took. If it returns false, the layer stays without further candidates. Throws if the
// gate cannot work at all.
void admit_candidates(Layer& layer, const std::function<bool(double seconds)>& go_on);

}  // namespace atc::conv::beside
