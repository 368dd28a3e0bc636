// The name that somebody may have meant.
#pragma once

#include <string_view>
#include <vector>

namespace atc {

// The one of `known` that is most like `given`, whatever the case of letters; "" where none is like
// it. Letters that are missing, added, exchanged for others or with their neighbours make it
// differ.
std::string_view nearest_name(std::string_view given, const std::vector<std::string_view>& known);

}  // namespace atc
