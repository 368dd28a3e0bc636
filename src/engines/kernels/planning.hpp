// Functions that several families of kernels use to plan a launch and to search for configurations.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/problem.hpp"

namespace atc::kernels {

// Returns how the products are computed, as a part of a kernel's name: "f16", "bf16", "tf32" or
// "fp32".
inline const char* math_of(const Problem& p, bool allow_tf32 = true) {
  if (p.x.dtype == Dtype::f32) return allow_tf32 ? "tf32" : "fp32";
  return p.x.dtype == Dtype::f16 ? "f16" : "bf16";
}

constexpr bool is_power_of_two(int value) { return value > 0 && (value & (value - 1)) == 0; }

// Returns `bytes`, rounded up to a multiple of 256. A workspace consists of parts, each of which
// begins at a multiple of 256 bytes.
constexpr std::uint64_t aligned_bytes(std::uint64_t bytes) { return (bytes + 255) / 256 * 256; }

// A list of configurations, each with its estimated cost.
template <class Configuration>
using Priced = std::vector<std::pair<double, Configuration>>;

// Sorts the list of configurations by their estimated costs, the lowest first. Configurations with
// equal costs keep their order.
template <class Configuration>
void sort(Priced<Configuration>& found) {
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
}

// Returns the configurations of the list, without their estimated costs, the cheapest first.
template <class Configuration>
std::vector<Configuration> cheapest_first(Priced<Configuration> found) {
  sort(found);
  std::vector<Configuration> result;
  result.reserve(found.size());
  for (auto& one : found) result.push_back(std::move(one.second));
  return result;
}

}  // namespace atc::kernels
