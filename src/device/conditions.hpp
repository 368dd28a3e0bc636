// The state of a device during a measurement, written down for people to read: no code compares it.
#pragma once

#include <optional>
#include <string>

namespace atc {

struct Conditions {
  std::string driver;  // "" where it is not known
  std::optional<double> power_limit_watts, temperature_celsius, clock_hz, memory_clock_hz;
};

}  // namespace atc
