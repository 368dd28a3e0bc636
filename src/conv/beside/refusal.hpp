// Says whether calls of the program may explore, that is, try and time other candidates than the
// default.
#pragma once

#include <string>

#include "conv/options.hpp"

namespace atc::conv::beside {

// Returns the reason why exploring would break a promise of atc to the caller, for example
// deterministic results. Returns "" if the request may explore.
std::string refusal(const Request& request);

}  // namespace atc::conv::beside
