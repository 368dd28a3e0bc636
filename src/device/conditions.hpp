// The state of a device during a measurement. It is recorded only for people to read: no code
// compares it.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace atc {

struct Conditions {
  std::string driver;  // the version of the device's driver; "" if it is not known
  std::optional<double> power_limit_watts, temperature_celsius, clock_hz, memory_clock_hz;
  // The reasons, in words, why the clocks were held down during the measurement. Empty if no reason
  // was seen.
  std::vector<std::string> clocks_limited_by;
};

}  // namespace atc
