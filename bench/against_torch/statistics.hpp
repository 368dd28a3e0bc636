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

// Returns the bootstrap interval of median(a) / median(b), at the level kLevel. Sample i of both is
// from the same round, so rounds are resampled and not samples.
Interval ratio_interval(const std::vector<double>& a, const std::vector<double>& b,
                        std::mt19937& random);

// Returns the bootstrap interval of median(a) - median(b), at the level kLevel, also by rounds.
Interval difference_interval(const std::vector<double>& a, const std::vector<double>& b,
                             std::mt19937& random);
