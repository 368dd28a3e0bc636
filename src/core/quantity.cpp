#include "core/quantity.hpp"

#include <array>
#include <cmath>

#include "core/format.hpp"

namespace atc {

namespace {

struct Unit {
  double seconds;
  const char* name;
};
constexpr std::array<Unit, 3> kUnits = {{{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}}};

// The smallest relative difference of two times that is shown. Times with a smaller difference
// would be shown as 0.0 % apart, so they count as equal.
constexpr double kLeastShare = 0.0005;

// Returns the number rounded to `digits` significant digits, without an exponent and without zeros
// at the end.
std::string rounded(double value, int digits) {
  if (!std::isfinite(value)) return format("{}", value);
  int decimals = digits - 1;
  // A number that is rounded up to 10 (or 100, ...) has one more digit before the point, so it gets
  // one digit less after the point.
  for (double limit = 10;
       decimals > 0 && std::abs(value) >= limit * (1 - 0.5 * std::pow(10, -digits)); limit *= 10)
    --decimals;
  std::string text = format("{:.{}f}", value, decimals);
  if (decimals == 0) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace

std::string time_text(double seconds) {
  constexpr int kDigits = 4;
  if (seconds == 0) return "0 s";
  const Unit* unit = &kUnits.back();
  for (const Unit& one : kUnits) {
    // If the number would be rounded to 1000 of a unit, the text is 1 of the next larger unit: "1
    // ms" in place of "1000 µs".
    if (std::abs(seconds) < 0.99995 * one.seconds) continue;
    unit = &one;
    break;
  }
  return format("{} {}", rounded(seconds / unit->seconds, kDigits), unit->name);
}

std::string ratio_text(double ratio) { return rounded(ratio, 3); }

std::string compared_text(double ratio) {
  const double more = ratio - 1;
  if (std::abs(more) < kLeastShare) return "as long as";
  if (ratio >= 2) return format("{} times as long as", ratio_text(ratio));
  return format("{:.1f} % {} time than", 100 * std::abs(more), more < 0 ? "less" : "more");
}

}  // namespace atc
