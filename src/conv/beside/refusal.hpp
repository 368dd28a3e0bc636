// Reasons why a call must not explore.
#pragma once

#include <string>

#include "conv/options.hpp"

namespace atc::conv::beside {

// The reason why exploring would break a promise that the request or the process has; "" if it may
// explore.
std::string refusal(const Request& request);

}  // namespace atc::conv::beside
