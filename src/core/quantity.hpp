// Times and ratios of times in sentences for people: a few digits, a unit that fits, no exponent.
#pragma once

#include <string>

namespace atc {

// Returns "430 µs", "8.2 ms" or "2.03 s": at most four significant digits.
std::string time_text(double seconds);

// Returns "1.31", "12" or "723": at most three significant digits, and larger numbers as whole
// numbers.
std::string ratio_text(double ratio);

// Says how long something takes in comparison with another thing, by the ratio of the times. The
// text completes "takes …": "as long as", "4.3 % more time than", "57.5 % less time than", and from
// twice the time on "8.23 times as long as".
std::string compared_text(double ratio);

}  // namespace atc
