// Runs a race: finds out which of several contestants (candidates) is the fastest on a device. The
// code depends on no particular engine, convolution or device, and reads no clock except that of
// `Device`.
#pragma once

#include <vector>

#include "device/device.hpp"
#include "tune/contestant.hpp"
#include "tune/options.hpp"
#include "tune/progress.hpp"
#include "tune/result.hpp"

namespace atc::tune {

// Decides which contestant is the fastest on `device`, and why each other contestant was not
// chosen. If an option is invalid, throws Error(invalid_argument). An error of a contestant is not
// thrown: it is recorded in the contestant's standing. An exception of `on_progress` is passed on.
//
// A running execution cannot be interrupted. So the race may exceed the budget by the duration of
// one step (prepare, check or batch), and by the steps of the default, which are always done. The
// technique `interleaved` may exceed the budget by a further tenth of the budget, to compare the
// remaining contestants. If the default is wrong or does not run, other contestants are started
// even if the budget is spent, until one of them runs.
//
// Only one race at a time may run on a device.
Result race(Device& device, const std::vector<Contestant*>& contestants, const Options& options,
            const OnProgress& on_progress = {});

}  // namespace atc::tune
