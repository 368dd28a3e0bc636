// Makes the decision for a problem whose choice a pin (an entry of the user's pin file) prescribes.
#pragma once

#include "conv/decide/decided.hpp"
#include "conv/options.hpp"
#include "conv/pins/pin_file.hpp"

namespace atc::conv {

// Decides for the choice of a pin. Before it is first used in this process for a problem and its
// limits, the choice has to pass the correctness gate (a comparison of its results with the
// reference). Throws Error(unsupported) if the choice cannot be built here, breaks a limit of the
// request or computes a wrong result. The text of the error names the pin, its file and a way out.
// Throws Error(capturing) if the choice has to be checked now but the stream is being captured.
// Throws Error(library), Error(device) or Error(out_of_memory) if a library, the device or a lack
// of memory is the cause.
Decided from_pin(const PinFile& file, const Pin& pin, const Problem& problem,
                 const Request& request);

// Logs one warning for each name that the pins bar (exclude) although no registered engine or
// rewrite has this name. Such a name is no error, because the program may register an engine of
// this name later.
void warn_of_unknown(const PinFile& file, const std::vector<const Pin*>& bars);

// Adds the bars of the pins (the names of engines, rewrites and choices that the pins exclude) to
// the request.
void obey_bars(const std::vector<const Pin*>& bars, Request& request);

}  // namespace atc::conv
