// Statistics of few and noisy times, some of which may be disturbed. Comparisons use the logarithms
// of times, because disturbances multiply a time, and because a difference of logarithms is a
// relative gap.
#pragma once

#include <cstddef>
#include <vector>

namespace atc::tune {

double median(std::vector<double> values);  // 0 for no values
double mean(const std::vector<double>& values);
double deviation(const std::vector<double>& values);  // of a sample (n - 1); 0 below two values

// The location of a sample (a mean that outliers hardly change), and how certain it is.
struct Location {
  double value = 0;
  double variance = 0;  // the variance of `value`; 0 if there are no degrees of freedom
  double freedom = 0;   // the degrees of freedom of `variance`
  double spread = 1;    // variance of `value` / (variance of one observation / count)
  std::size_t count = 0;
};

// The 20 % trimmed mean. From three values on, at least one value is trimmed at each end. So if one
// batch of three is disturbed, the mean moves at most to the next value. From five values on, the
// variance is Yuen's winsorized one.
Location locate(std::vector<double> values);

// The difference of two locations, with its standard error and degrees of freedom.
struct Gap {
  double value = 0;
  double error = 0;
  double freedom = 0;
  // Half the width of the confidence interval around `value`. The true gap is below its upper end
  // with `one_sided` confidence, and above its lower end with the same confidence.
  double half_width(double one_sided) const;
};

// The assumption about the noise before the samples are seen: the variance of one observation. It
// weighs as much as an estimate with `freedom` degrees of freedom.
struct Prior {
  double variance = 0;
  double freedom = 0;
};

// The gap between two samples whose observations with the same index are from the same round. A
// disturbance of both in a round cancels.
Gap paired_gap(const std::vector<double>& above, const std::vector<double>& below,
               const Prior& prior);
// The gap between two samples that were not taken in the same rounds (Welch's test with trimmed
// means).
Gap independent_gap(const Location& above, const Location& below, const Prior& prior);

// The variance of one observation, pooled over several samples, each of which has its own location.
Prior pool(const std::vector<Location>& locations, const Prior& prior);

double normal_quantile(double probability);                   // probability in (0, 1)
double student_quantile(double probability, double freedom);  // freedom >= 3, error below 1 %

}  // namespace atc::tune
