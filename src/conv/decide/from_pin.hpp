// The decision that a pin makes.
#pragma once

#include "conv/decide/decided.hpp"
#include "conv/options.hpp"
#include "conv/pins/pin_file.hpp"

namespace atc::conv {

// Decides for the pin's choice. The choice first has to pass the correctness gate, once in this
// process for each problem and its limits. Throws Error(unsupported), which names the pin, its file
// and a way out, if the choice cannot be built here, breaks a limit of the request or computes a
// wrong result. Throws Error(capturing) if it would have to pass the gate in a stream capture;
// Error(library), Error(device) or Error(out_of_memory) if that is the cause.
Decided from_pin(const PinFile& file, const Pin& pin, const Problem& problem,
                 const Request& request);

// Logs one warning for each name that the pins bar and that no engine or rewrite is known by. The
// name may be that of an engine which the program registers later, so that it is no error.
void warn_of_unknown(const PinFile& file, const std::vector<const Pin*>& bars);

// Adds the bars of the pins to the request.
void obey_bars(const std::vector<const Pin*>& bars, Request& request);

}  // namespace atc::conv
