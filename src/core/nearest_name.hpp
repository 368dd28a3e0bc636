// Finds the name that somebody may have meant.
#pragma once

#include <string_view>
#include <vector>

namespace atc {

// Returns the name in `known` that is most similar to `given`, ignoring the case of letters; "" if
// none is similar. Similar names differ by few letters that are missing, added, replaced or swapped
// with their neighbours.
std::string_view nearest_name(std::string_view given, const std::vector<std::string_view>& known);

}  // namespace atc
