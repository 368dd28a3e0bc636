// Runs a race: finds out which of several contestants is the fastest on a device. The code knows no
// engine, convolution or device by name, and reads no clock except Device's.
#pragma once

#include <vector>

#include "device/device.hpp"
#include "tune/contestant.hpp"
#include "tune/options.hpp"
#include "tune/progress.hpp"
#include "tune/result.hpp"

namespace atc::tune {

// Decides which contestant is the fastest on `device`, and why each of the others was not chosen.
// If an option makes no sense, throws Error(invalid_argument). An error of a contestant is not
// thrown: it is part of the contestant's standing. An exception of `on_progress` is passed on.
//
// A running execution cannot be interrupted. So the race may exceed the budget by the step that is
// under way (prepare, check or batch), and by the steps of the default. `interleaved` may also
// exceed it by a tenth, to compare the remaining contestants. If the default is wrong or does not
// run, other contestants are admitted even if the budget is spent, until one of them runs.
//
// Only one race at a time may run on a device.
Result race(Device& device, const std::vector<Contestant*>& contestants, const Options& options,
            const OnProgress& on_progress = {});

}  // namespace atc::tune
