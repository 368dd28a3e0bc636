// Which convolutions a pin is for: a JSON object with fields of a problem, in the words of the
// caller's description (a transposed convolution has its own direction and channels), and of the
// request. A field that the pattern does not name may have any value.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "conv/options.hpp"
#include "core/problem.hpp"

namespace atc::conv {

// Throws Error(invalid_argument) with a part of a sentence that names the field, its value and the
// valid values: "match.kernel is "3x3": write …".
void check_pattern(const nlohmann::json& pattern);

// The fields of one request, each with its value.
nlohmann::json pattern_fields(const Problem& problem, const Request& request);

// `fields`: of pattern_fields; `pattern` has passed check_pattern.
bool matches(const nlohmann::json& pattern, const nlohmann::json& fields);

// The names of all fields, in the order of the documentation, and the words that a field may have:
// none where it has numbers, flags or any text.
std::vector<std::string> pattern_field_names();
std::vector<std::string> pattern_field_words(const std::string& name);

}  // namespace atc::conv
