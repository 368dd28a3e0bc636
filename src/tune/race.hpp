// The race: which of several contestants is fastest on a device. Knows no engine, no convolution
// and no device by name; time comes from Device alone.
#pragma once

#include <vector>

#include "device/device.hpp"
#include "tune/contestant.hpp"
#include "tune/options.hpp"
#include "tune/progress.hpp"
#include "tune/result.hpp"

namespace atc::tune {

// Decides which contestant is fastest on `device` and why not the others. Throws
// Error(invalid_argument) for options that make no sense; trouble with a contestant is its
// standing, not an exception. What `on_progress` throws passes through. A running execution cannot
// be interrupted: the budget is overrun by at most the one step (prepare, check, batch) that is
// under way, or by those of the default; and by a tenth, where it ended before those that are left
// were told apart. Where the default turns out wrong or does not run, the others are admitted in
// spite of the budget until one of them runs. One race per device at a time.
Result race(Device& device, const std::vector<Contestant*>& contestants, const Options& options,
            const OnProgress& on_progress = {});

}  // namespace atc::tune
