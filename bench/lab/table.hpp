// The results of races as a table: atc's best own candidate, the best of cuDNN's, and the floor.
#pragma once

#include <string>
#include <vector>

#include "core/json.hpp"

namespace atc::lab {

// Of the lines of races.
std::string table(const std::vector<nlohmann::json>& rows);

}  // namespace atc::lab
