// Admits candidates to the exploration of a layer: picks those that are likely to pay, and passes
// each through the correctness gate.
#pragma once

#include <functional>
#include <optional>

#include "conv/beside/layer.hpp"
#include "tune/picks.hpp"

namespace atc::conv::beside {

// The first candidate that would be checked for the layer. Empty if no candidate is expected to pay
// in the number of calls that the user expects. Uses no device.
std::optional<tune::Pick> foreseen_pick(const Layer& layer, double default_seconds);

// Admits candidates one after the other, as long as they are expected to pay, and at most as many
// as tune/agenda.hpp says. `worked` is called after each check, with the seconds for which it has
// probably used the device. `go_on` is called before each further check. If it returns false, the
// layer stays without further candidates. Throws if the gate cannot work at all.
void admit_candidates(Layer& layer, const std::function<void(double seconds)>& worked,
                      const std::function<bool()>& go_on);

}  // namespace atc::conv::beside
