// The pseudo-random numbers with which tensors are filled. A number depends only on the seed and on
// one index. This header is also compiled for devices, so the host and a device fill a tensor with
// the same values.
#pragma once

#include <cstdint>

namespace atc {

// Mixes two numbers into a 64-bit number (finalizer of splitmix64).
constexpr std::uint64_t mix(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// Returns -1, 0 or 1 with equal probability.
constexpr double ternary(std::uint64_t random) {
  return static_cast<double>((random >> 32) % 3) - 1;
}

// Returns an about normally distributed number (mean 0, variance 1, |value| < 3.5). The sum of four
// uniformly distributed numbers has the variance 1/3 (Irwin-Hall distribution). The factor sqrt(3)
// makes the variance 1.
constexpr double kLargestNormal = 3.5;
constexpr double normal(std::uint64_t random) {
  constexpr double kScale = 1.7320508075688772 / 65536;
  const std::uint64_t sum = (random & 0xffff) + ((random >> 16) & 0xffff) +
                            ((random >> 32) & 0xffff) + ((random >> 48) & 0xffff);
  return (static_cast<double>(sum) - 2 * 65535) * kScale;
}

}  // namespace atc
