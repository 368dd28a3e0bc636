// The state of a device during a measurement, written down for people to read: no code compares it.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace atc {

struct Conditions {
  std::string driver;  // "" where it is not known
  std::optional<double> power_limit_watts, temperature_celsius, clock_hz, memory_clock_hz;
  // What held the clocks down at some time of the measurement, in words; empty: nothing was seen.
  std::vector<std::string> clocks_limited_by;
};

}  // namespace atc
