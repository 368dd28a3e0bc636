#include "tune/forecast.hpp"

#include <algorithm>

namespace atc::tune {

std::vector<std::size_t> expected_faster(const std::vector<Belief>& beliefs) {
  const auto cautious = [&](std::size_t i) {
    return beliefs[i].log_ratio + kCaution * beliefs[i].deviation;
  };
  std::vector<std::size_t> faster;
  for (std::size_t i = 0; i < beliefs.size(); ++i)
    if (cautious(i) < 0) faster.push_back(i);
  std::stable_sort(faster.begin(), faster.end(), [&](std::size_t one, std::size_t other) {
    return cautious(one) < cautious(other);
  });
  return faster;
}

}  // namespace atc::tune
