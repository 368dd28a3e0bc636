// Statistics of few, noisy, sometimes disturbed times. Comparisons work on logarithms of times,
// because disturbances multiply and differences of logarithms are relative gaps.
#pragma once

#include <cstddef>
#include <vector>

namespace atc::tune {

double median(std::vector<double> values);  // 0 for no values
double mean(const std::vector<double>& values);
double deviation(const std::vector<double>& values);  // of a sample (n - 1); 0 below two values

// The location of the bulk of a sample, and how well it is known.
struct Location {
  double value = 0;
  double variance = 0;  // of `value`; 0 with no degrees of freedom
  double freedom = 0;   // degrees of freedom behind `variance`
  double spread = 1;    // variance of `value` in units of (variance of one observation / count)
  std::size_t count = 0;
};

// 20 % trimmed mean. From three values on, at least one value is trimmed at each end, so one
// disturbed batch of three moves the mean no further than to the next value. From five values on
// the variance is Yuen's winsorized one.
Location locate(std::vector<double> values);

// How far one thing lies above another: `value` with a standard error and its degrees of freedom.
struct Gap {
  double value = 0;
  double error = 0;
  double freedom = 0;
  // Half of the interval that holds the true gap with `one_sided` confidence towards each side.
  double half_width(double one_sided) const;
};

// Prior of the noise: the variance of one observation, which weighs as much as an estimate with
// `freedom` degrees of freedom.
struct Prior {
  double variance = 0;
  double freedom = 0;
};

// Observations of the same index belong together (same round); a disturbance they share cancels.
Gap paired_gap(const std::vector<double>& above, const std::vector<double>& below,
               const Prior& prior);
// For samples that were not taken in the same rounds (Welch, trimmed).
Gap independent_gap(const Location& above, const Location& below, const Prior& prior);

// Variance of one observation, pooled over samples that each have a location of their own.
Prior pool(const std::vector<Location>& locations, const Prior& prior);

double normal_quantile(double probability);                   // probability in (0, 1)
double student_quantile(double probability, double freedom);  // freedom >= 3, error below 1 %

}  // namespace atc::tune
