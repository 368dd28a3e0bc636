// The pattern of a pin, which says to which convolutions the pin applies. It is a JSON object with
// fields of a problem and of a request. A problem is described in the caller's words: a transposed
// convolution has its own direction and channels. If the pattern does not name a field, the field
// may have any value.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "conv/options.hpp"
#include "core/problem.hpp"

namespace atc::conv {

// Checks a pattern. Throws Error(invalid_argument) if it is not valid. The text is a part of a
// sentence that names the field, its value and the valid values: "match.kernel is "3x3": write …".
void check_pattern(const nlohmann::json& pattern);

// The fields of one problem and its request, each with its value.
nlohmann::json pattern_fields(const Problem& problem, const Request& request);

// Whether a pattern matches. `fields` is the result of pattern_fields. `pattern` has passed
// check_pattern.
bool matches(const nlohmann::json& pattern, const nlohmann::json& fields);

// The names of all fields, in the order of the documentation, each with the words that it may have.
// The list of words is empty if the field has numbers, flags or any text.
std::vector<std::string> pattern_field_names();
std::vector<std::string> pattern_field_words(const std::string& name);

}  // namespace atc::conv
