// The name that somebody may have meant.
#pragma once

#include <string_view>
#include <vector>

namespace atc {

// The name in `known` that is most like `given`, ignoring the case of letters; "" if none is
// similar. Names differ by letters that are missing, added, replaced or swapped with their
// neighbours.
std::string_view nearest_name(std::string_view given, const std::vector<std::string_view>& known);

}  // namespace atc
