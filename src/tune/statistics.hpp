// Statistics of small samples of noisy times, some of which may be disturbed. Comparisons use the
// logarithms of times, because a disturbance multiplies a time, and because a difference of
// logarithms is a relative gap.
#pragma once

#include <cstddef>
#include <vector>

namespace atc::tune {

double median(std::vector<double> values);  // returns the median; 0 if there are no values
double mean(const std::vector<double>& values);
// Returns the standard deviation of a sample (divisor n - 1); 0 for fewer than two values.
double deviation(const std::vector<double>& values);

// An estimate of the location of a sample (a mean that outliers hardly change), and the variance of
// this estimate.
struct Location {
  double value = 0;
  double variance = 0;  // the variance of `value`; 0 if there are no degrees of freedom
  double freedom = 0;   // the degrees of freedom of `variance`
  double spread = 1;    // variance of `value` / (variance of one observation / count)
  std::size_t count = 0;
};

// Returns the 20 % trimmed mean. If there are three or more values, at least one value is trimmed
// at each end. So if one batch of three is disturbed, the mean moves at most to the next value. For
// five or more values, the variance is Yuen's winsorized variance.
Location locate(std::vector<double> values);

// The difference of two locations, with its standard error and degrees of freedom.
struct Gap {
  double value = 0;
  double error = 0;
  double freedom = 0;
  // Returns half the width of the confidence interval around `value`. The true gap is below the
  // upper end of the interval with `one_sided` confidence, and above the lower end with the same
  // confidence.
  double half_width(double one_sided) const;
};

// The assumption about the noise before samples are seen. `variance` is the variance of one
// observation. The assumption has the same weight as an estimate with `freedom` degrees of freedom.
struct Prior {
  double variance = 0;
  double freedom = 0;
};

// Returns the gap between two samples that were taken in the same rounds: observations with the
// same index belong to the same round. A disturbance that affects both observations of a round
// cancels.
Gap paired_gap(const std::vector<double>& above, const std::vector<double>& below,
               const Prior& prior);
// Returns the gap between two samples that were not taken in the same rounds (Welch's test with
// trimmed means).
Gap independent_gap(const Location& above, const Location& below, const Prior& prior);

// Returns the variance of one observation, estimated from several samples together. The samples may
// have different means, but are assumed to have the same variance.
Prior pool(const std::vector<Location>& locations, const Prior& prior);

// Returns the quantile of the standard normal distribution. `probability` must be between 0 and 1,
// both excluded.
double normal_quantile(double probability);
// Returns the quantile of Student's distribution with `freedom` degrees of freedom, which must be
// at least 3. The error is below 1 %.
double student_quantile(double probability, double freedom);

}  // namespace atc::tune
