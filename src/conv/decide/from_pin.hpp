// The decision that a pin makes.
#pragma once

#include "conv/decide/decided.hpp"
#include "conv/options.hpp"
#include "conv/pins/pin_file.hpp"

namespace atc::conv {

// Decides for the choice of a pin. The choice first has to pass the correctness gate, once in this
// process for each problem and its limits. Throws Error(unsupported) if the choice cannot be built
// here, breaks a limit of the request or computes a wrong result; the text names the pin, its file
// and a way out. Throws Error(capturing) if the choice would have to pass the gate in a stream
// capture. Throws Error(library), Error(device) or Error(out_of_memory) if one of these is the
// cause.
Decided from_pin(const PinFile& file, const Pin& pin, const Problem& problem,
                 const Request& request);

// The pins may bar a name that no engine or rewrite has. Logs one warning for each such name. It is
// no error, because the program may register an engine of this name later.
void warn_of_unknown(const PinFile& file, const std::vector<const Pin*>& bars);

// Adds the bars of the pins to the request: the names of engines, rewrites and choices that the
// pins exclude.
void obey_bars(const std::vector<const Pin*>& bars, Request& request);

}  // namespace atc::conv
