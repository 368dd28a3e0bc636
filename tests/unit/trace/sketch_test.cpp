#include "trace/sketch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "tune/statistics.hpp"

namespace atc::trace {
namespace {

constexpr double kQuantiles[] = {0, 0.01, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 1};

Sketch sketch_of(const std::vector<double>& times) {
  Sketch sketch;
  for (const double time : times) sketch.add(time);
  return sketch;
}

double exact_quantile(std::vector<double> times, double q) {
  std::sort(times.begin(), times.end());
  return times[static_cast<std::size_t>(q * static_cast<double>(times.size() - 1))];
}

// Expects that the quantiles of the sketch are within the relative error that sketch.hpp states. In
// addition 1e-12 is allowed for the rounding of logarithms. The logarithms are below 33, so their
// relative error of 1e-16 is an absolute error of up to 33e-16.
void expect_quantiles(const Sketch& sketch, const std::vector<double>& times) {
  for (const double q : kQuantiles) {
    const double exact = exact_quantile(times, q);
    EXPECT_NEAR(sketch.quantile(q), exact, exact * (Sketch::kRelativeError + 1e-12)) << q;
  }
}

// Expects the right mean and deviation. The sketch updates both with each time that is added, so
// their rounding errors grow with the number of times.
void expect_moments(const Sketch& sketch, const std::vector<double>& times) {
  const double rounding = 4e-16 * static_cast<double>(times.size());
  EXPECT_EQ(sketch.count(), times.size());
  EXPECT_EQ(sketch.min(), *std::min_element(times.begin(), times.end()));
  EXPECT_EQ(sketch.max(), *std::max_element(times.begin(), times.end()));
  EXPECT_NEAR(sketch.mean(), tune::mean(times), tune::mean(times) * rounding);
  // If the deviation is far below the mean, the subtraction in its formula cancels digits. Then the
  // relative error grows by the factor (mean / spread)^2.
  const double spread = tune::deviation(times);
  const double loss = 1 + (spread > 0 ? std::pow(tune::mean(times) / spread, 2) : 0);
  EXPECT_NEAR(sketch.deviation(), spread, spread * rounding * loss);
}

// The sketch counts times in buckets. Tests times at many positions within the buckets. Each sketch
// also gets a smaller and a larger time, because a quantile is never outside of the smallest and
// the largest time.
TEST(Sketch, BoundsTheErrorOfEachTimeInItsRange) {
  for (double time = 2 * Sketch::kLeast; time < Sketch::kMost / 2; time *= 1.000731) {
    const Sketch sketch = sketch_of({Sketch::kLeast, time, Sketch::kMost});
    ASSERT_NEAR(sketch.quantile(0.5), time, time * (Sketch::kRelativeError + 1e-12)) << time;
  }
}

TEST(Sketch, AgreesWithTheExactFigures) {
  std::mt19937_64 random(1);
  std::lognormal_distribution<double> usual(std::log(50e-6), 0.1), wide(std::log(1e-3), 3);
  std::uniform_real_distribution<double> even(1e-6, 2e-6);
  for (int kind = 0; kind < 3; ++kind) {
    std::vector<double> times(20000);
    for (double& time : times)
      time = kind == 0 ? usual(random) : kind == 1 ? wide(random) : even(random);
    const Sketch sketch = sketch_of(times);
    expect_quantiles(sketch, times);
    expect_moments(sketch, times);
  }
}

TEST(Sketch, OfMergedOnesIsTheOneOfAllTimes) {
  std::mt19937_64 random(2);
  std::lognormal_distribution<double> low(std::log(1e-5), 0.3), high(std::log(1e-2), 0.3);
  std::vector<double> times, one, other;
  for (int i = 0; i < 5000; ++i) one.push_back(high(random));
  for (int i = 0; i < 3000; ++i) other.push_back(low(random));
  times = one;
  times.insert(times.end(), other.begin(), other.end());
  Sketch merged;
  merged.merge(Sketch());
  merged.merge(sketch_of(one));
  merged.merge(sketch_of(other));
  merged.merge(Sketch());
  expect_quantiles(merged, times);
  expect_moments(merged, times);
}

TEST(Sketch, OfNothingIsZero) {
  const Sketch sketch;
  EXPECT_EQ(sketch.count(), 0u);
  for (const double figure :
       {sketch.mean(), sketch.min(), sketch.max(), sketch.deviation(), sketch.quantile(0.5)})
    EXPECT_EQ(figure, 0);
}

TEST(Sketch, OfOneTimeIsThatTime) {
  const Sketch sketch = sketch_of({3e-5});
  for (const double q : kQuantiles) EXPECT_EQ(sketch.quantile(q), 3e-5);
  EXPECT_EQ(sketch.deviation(), 0);
}

// A clock that stands still, or a device that reports wrong values, can give times like these.
TEST(Sketch, TakesTimesBeyondItsRange) {
  const std::vector<double> times = {0, -1e-6, 1e-12, 1e9};
  const Sketch sketch = sketch_of(times);
  EXPECT_EQ(sketch.min(), -1e-6);
  EXPECT_EQ(sketch.max(), 1e9);
  for (const double q : kQuantiles) {
    EXPECT_GE(sketch.quantile(q), -1e-6);
    EXPECT_LE(sketch.quantile(q), 1e9);
  }
}

}  // namespace
}  // namespace atc::trace
