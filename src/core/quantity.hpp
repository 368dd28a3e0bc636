// Writes times and ratios of times for people: few digits, a suitable unit, no exponent.
#pragma once

#include <string>

namespace atc {

// Returns, for example, "430 µs", "8.2 ms" or "2.03 s". The text has at most four significant
// digits.
std::string time_text(double seconds);

// Returns, for example, "1.31", "12" or "723". The text has at most three significant digits.
// Numbers from 1000 on are written as whole numbers.
std::string ratio_text(double ratio);

// Compares two times by their ratio. The text completes a sentence with "takes …": "as long as",
// "4.3 % more time than", "57.5 % less time than". For ratios of at least two it is, for example,
// "8.23 times as long as".
std::string compared_text(double ratio);

}  // namespace atc
