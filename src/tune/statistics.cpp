#include "tune/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace atc::tune {

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const std::size_t half = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + half, values.end());
  const double upper = values[half];
  if (values.size() % 2 == 1) return upper;
  return (upper + *std::max_element(values.begin(), values.begin() + half)) / 2;
}

double mean(const std::vector<double>& values) {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

namespace {

double squares_about(const std::vector<double>& values, double centre) {
  double sum = 0;
  for (const double value : values) sum += (value - centre) * (value - centre);
  return sum;
}

}  // namespace

double deviation(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  return std::sqrt(squares_about(values, mean(values)) / static_cast<double>(values.size() - 1));
}

Location locate(std::vector<double> values) {
  Location result;
  const std::size_t count = values.size();
  result.count = count;
  if (count == 0) return result;
  std::sort(values.begin(), values.end());
  const std::size_t trim = count < 3 ? 0 : std::max<std::size_t>(1, count / 5);
  const std::size_t kept = count - 2 * trim;
  result.value = std::accumulate(values.begin() + trim, values.end() - trim, 0.0) / kept;
  // `spread` is the variance of the location, times the number of observations, if the variance of
  // one observation is 1. The numbers are those of normal observations: 1.35 for the median of
  // three, 1.19 for the trimmed mean of four (their median), 1.14 for the trimmed mean of five. For
  // more than five observations the true number remains close to 1.14.
  result.spread = count < 3 ? 1.0 : count == 3 ? 1.35 : count == 4 ? 1.19 : 1.14;
  if (count < 2) return result;
  if (count < 5) {
    result.freedom = static_cast<double>(count - 1);
    const double one = squares_about(values, mean(values)) / result.freedom;
    result.variance = one * result.spread / static_cast<double>(count);
    return result;
  }
  std::fill(values.begin(), values.begin() + trim, values[trim]);
  std::fill(values.end() - trim, values.end(), values[count - trim - 1]);
  result.freedom = static_cast<double>(kept - 1);
  result.variance =
      squares_about(values, mean(values)) / (static_cast<double>(kept) * result.freedom);
  return result;
}

// Smaller numbers of degrees of freedom are replaced by this number, because the series in
// student_quantile() is inaccurate for them. No decision is made from so few degrees of freedom
// anyway.
static constexpr double kLeastFreedom = 3;

double Gap::half_width(double one_sided) const {
  return error * student_quantile(one_sided, std::max(freedom, kLeastFreedom));
}

namespace {

Gap moderated(double value, double variance, double freedom, double prior_variance,
              double prior_freedom) {
  Gap gap;
  gap.value = value;
  gap.freedom = freedom + prior_freedom;
  gap.error =
      std::sqrt((freedom * variance + prior_freedom * prior_variance) / std::max(gap.freedom, 1.0));
  return gap;
}

}  // namespace

Gap paired_gap(const std::vector<double>& above, const std::vector<double>& below,
               const Prior& prior) {
  std::vector<double> differences(std::min(above.size(), below.size()));
  for (std::size_t i = 0; i < differences.size(); ++i) differences[i] = above[i] - below[i];
  const Location middle = locate(std::move(differences));
  const double count = static_cast<double>(std::max<std::size_t>(middle.count, 1));
  return moderated(middle.value, middle.variance, middle.freedom,
                   2 * prior.variance * middle.spread / count, prior.freedom);
}

Gap independent_gap(const Location& above, const Location& below, const Prior& prior) {
  const auto moderate = [&](const Location& one) {
    const double count = static_cast<double>(std::max<std::size_t>(one.count, 1));
    return moderated(one.value, one.variance, one.freedom, prior.variance * one.spread / count,
                     prior.freedom);
  };
  const Gap a = moderate(above), b = moderate(below);
  const double va = a.error * a.error, vb = b.error * b.error;
  Gap gap;
  gap.value = a.value - b.value;
  gap.error = std::sqrt(va + vb);
  const double denominator = va * va / a.freedom + vb * vb / b.freedom;
  gap.freedom = denominator > 0 ? (va + vb) * (va + vb) / denominator : a.freedom + b.freedom;
  return gap;
}

Prior pool(const std::vector<Location>& locations, const Prior& prior) {
  double freedom = prior.freedom;
  double sum = prior.freedom * prior.variance;
  for (const Location& one : locations) {
    if (one.freedom <= 0) continue;
    freedom += one.freedom;
    sum += one.freedom * one.variance * static_cast<double>(one.count) / one.spread;
  }
  return {freedom > 0 ? sum / freedom : 0, freedom};
}

double normal_quantile(double probability) {
  // The quantile is found by bisection of the error function. The result is exact to double
  // precision. The loop is slow, but the function is called only a few times per round.
  double low = -40, high = 40;
  while (high - low > 1e-12) {
    const double middle = (low + high) / 2;
    (0.5 * std::erfc(-middle / std::sqrt(2.0)) < probability ? low : high) = middle;
  }
  return (low + high) / 2;
}

double student_quantile(double probability, double freedom) {
  // The quantile as a series in 1 / `freedom` (the Cornish-Fisher expansion, Abramowitz and Stegun
  // 26.7.5).
  const double z = normal_quantile(probability);
  const double z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z, z9 = z7 * z * z;
  const double f = freedom;
  return z + (z3 + z) / (4 * f) + (5 * z5 + 16 * z3 + 3 * z) / (96 * f * f) +
         (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * f * f * f) +
         (79 * z9 + 776 * z7 + 1482 * z5 - 1920 * z3 - 945 * z) / (92160 * f * f * f * f);
}

}  // namespace atc::tune
