// The numbers that tensors are filled with. Each depends on the seed and on one index alone, so
// that hosts and devices, for which this header is compiled, too, fill tensors alike.
#pragma once

#include <cstdint>

namespace atc {

// A well mixed 64-bit number from two (splitmix64's finalizer).
constexpr std::uint64_t mix(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// -1, 0 or 1, equally often.
constexpr double ternary(std::uint64_t random) {
  return static_cast<double>((random >> 32) % 3) - 1;
}

// About N(0, 1), |value| < 3.5: four uniform numbers have variance 1/3 in sum (Irwin-Hall), sqrt(3)
// brings it to 1.
constexpr double kLargestNormal = 3.5;
constexpr double normal(std::uint64_t random) {
  constexpr double kScale = 1.7320508075688772 / 65536;
  const std::uint64_t sum = (random & 0xffff) + ((random >> 16) & 0xffff) +
                            ((random >> 32) & 0xffff) + ((random >> 48) & 0xffff);
  return (static_cast<double>(sum) - 2 * 65535) * kScale;
}

}  // namespace atc
