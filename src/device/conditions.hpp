// The state of a device during a measurement, recorded for people to read. No code compares it.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace atc {

struct Conditions {
  std::string driver;  // "" where it is not known
  std::optional<double> power_limit_watts, temperature_celsius, clock_hz, memory_clock_hz;
  // The reasons, in words, that held the clocks down during the measurement. Empty: none was seen.
  std::vector<std::string> clocks_limited_by;
};

}  // namespace atc
