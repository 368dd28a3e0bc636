#pragma once

#include <random>
#include <vector>

constexpr double kLevel = 0.95;

struct Interval {
  double low, high;
};

double median(std::vector<double> values);

// Returns half the distance between the quartiles, relative to the median.
double spread(const std::vector<double>& values);

// Returns the confidence interval of median(a) / median(b) at the level kLevel (95 %), by
// bootstrap. a[i] and b[i] were measured in the same round. So the bootstrap draws rounds, and
// takes both times of each drawn round.
Interval ratio_interval(const std::vector<double>& a, const std::vector<double>& b,
                        std::mt19937& random);

// Returns the confidence interval of median(a) - median(b) at the level kLevel (95 %), by a
// bootstrap that draws rounds and takes both times of each drawn round.
Interval difference_interval(const std::vector<double>& a, const std::vector<double>& b,
                             std::mt19937& random);
