// Finds the name that the user may have meant by a misspelt name.
#pragma once

#include <string_view>
#include <vector>

namespace atc {

// Returns the name in `known` that is the most similar to `given`; "" if no name is similar. The
// case of letters is ignored. Two names are similar if few letters are missing, added, replaced or
// exchanged with their neighbours.
std::string_view nearest_name(std::string_view given, const std::vector<std::string_view>& known);

}  // namespace atc
