// Reasons why a call must not explore.
#pragma once

#include <string>

#include "conv/options.hpp"

namespace atc::conv::beside {

// Returns the reason why exploring would break a promise that atc has made to the request or to the
// process; "" if the request may explore.
std::string refusal(const Request& request);

}  // namespace atc::conv::beside
