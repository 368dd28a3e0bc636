// The pattern of a pin. It says to which convolutions the pin applies. A pattern is a JSON object
// with fields of a problem and of a request. The fields describe the call as the caller made it: a
// transposed convolution has its own direction and channels. If a field is missing in the pattern,
// it may have any value.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "conv/options.hpp"
#include "core/problem.hpp"

namespace atc::conv {

// Checks a pattern. Throws Error(invalid_argument) if it is not valid. The text of the error is a
// part of a sentence; it names the field, its value and the valid values: "match.kernel is "3x3":
// write …".
void check_pattern(const nlohmann::json& pattern);

// Returns all fields of one problem and its request, each with its value.
nlohmann::json pattern_fields(const Problem& problem, const Request& request);

// Whether a pattern matches a problem. `fields` is the result of pattern_fields. `pattern` must
// have passed check_pattern.
bool matches(const nlohmann::json& pattern, const nlohmann::json& fields);

// pattern_field_names returns the names of all fields, in the order of the documentation.
// pattern_field_words returns the words that a field may have; the list is empty if the field has
// numbers, flags or any text.
std::vector<std::string> pattern_field_names();
std::vector<std::string> pattern_field_words(const std::string& name);

}  // namespace atc::conv
