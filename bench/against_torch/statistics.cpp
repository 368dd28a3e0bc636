#include "statistics.hpp"

#include <algorithm>
#include <cmath>

namespace {

constexpr int kResamples = 1000;

double quantile(std::vector<double> values, double share) {
  const auto place =
      static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1) + 0.5);
  std::nth_element(values.begin(), values.begin() + place, values.end());
  return values[static_cast<std::size_t>(place)];
}

template <class Combine>
Interval interval(const std::vector<double>& a, const std::vector<double>& b, std::mt19937& random,
                  const Combine& combine) {
  std::uniform_int_distribution<std::size_t> pick(0, a.size() - 1);
  std::vector<double> results, one(a.size()), other(a.size());
  for (int resample = 0; resample < kResamples; ++resample) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      const std::size_t round = pick(random);
      one[i] = a[round];
      other[i] = b[round];
    }
    results.push_back(combine(median(one), median(other)));
  }
  return {quantile(results, (1 - kLevel) / 2), quantile(results, (1 + kLevel) / 2)};
}

}  // namespace

double median(std::vector<double> values) {
  const std::size_t half = values.size() / 2;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(half);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

double spread(const std::vector<double>& values) {
  return (quantile(values, 0.75) - quantile(values, 0.25)) / 2 / median(values);
}

Interval ratio_interval(const std::vector<double>& a, const std::vector<double>& b,
                        std::mt19937& random) {
  return interval(a, b, random, [](double one, double other) { return one / other; });
}

Interval difference_interval(const std::vector<double>& a, const std::vector<double>& b,
                             std::mt19937& random) {
  return interval(a, b, random, [](double one, double other) { return one - other; });
}
