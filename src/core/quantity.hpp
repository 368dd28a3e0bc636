// Times and ratios of times in sentences for people: a few digits, a unit that fits, no exponent.
#pragma once

#include <string>

namespace atc {

// "430 µs", "8.2 ms", "2.03 s": at most four significant digits.
std::string time_text(double seconds);

// "1.31", "12", "723": at most three significant digits, and whole numbers above.
std::string ratio_text(double ratio);

// How long something takes beside another thing, by the ratio of the times; completes "takes …".
// "as long as", "4.3 % more time than", "57.5 % less time than", and from twice the time on "8.23
// times as long as".
std::string compared_text(double ratio);

}  // namespace atc
