// Admits candidates to the exploration of a layer. (A layer is one convolution problem. It is
// explored if the program's own calls try candidates for it.) The candidates that are likely to
// save time are chosen. Each chosen candidate has to pass the correctness gate, which compares its
// results with trusted results.
#pragma once

#include <functional>
#include <optional>

#include "conv/beside/layer.hpp"
#include "tune/picks.hpp"

namespace atc::conv::beside {

// Returns the candidate of the layer that would be checked first. Returns nothing if no candidate
// is expected to save, within the number of calls that the user expects, more time than trying it
// costs. `default_seconds` is the time in seconds of a call that runs the default choice. Uses no
// device.
std::optional<tune::Pick> foreseen_pick(const Layer& layer, double default_seconds);

// Checks candidates one after the other, and admits each candidate that passes. Ends if no further
// candidate is expected to save more time than its check costs, or if the largest number of
// candidates (tune/agenda.hpp) is reached. `worked` is called after each check, with an estimate of
// the seconds for which the check used the device. `go_on` is called before each check but the
// first. If `go_on` returns false, no further candidate is checked. Throws if the correctness gate
// cannot work at all.
void admit_candidates(Layer& layer, const std::function<void(double seconds)>& worked,
                      const std::function<bool()>& go_on);

}  // namespace atc::conv::beside
