#include "tune/statistics.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

namespace atc::tune {
namespace {

TEST(Statistics, FiguresOfASmallSample) {
  const std::vector<double> values = {4, 1, 3, 2};
  EXPECT_DOUBLE_EQ(median(values), 2.5);
  EXPECT_DOUBLE_EQ(median({5, 1, 3}), 3);
  EXPECT_DOUBLE_EQ(mean(values), 2.5);
  EXPECT_DOUBLE_EQ(deviation(values),
                   std::sqrt(5.0 / 3));  // squared deviations: 2.25 + 2.25 + 0.25 + 0.25 = 5
}

TEST(Statistics, OfNothingAndOfOneValue) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(mean({}), 0);
  EXPECT_EQ(deviation({}), 0);
  EXPECT_EQ(deviation({7}), 0);
  EXPECT_EQ(locate({}).count, 0u);
  EXPECT_EQ(locate({7}).value, 7);
  EXPECT_EQ(locate({7}).freedom, 0);
}

TEST(Statistics, OneDisturbedValueOfThreeOrMoreIsLeftOut) {
  EXPECT_DOUBLE_EQ(locate({1, 2, 1000}).value, 2);
  EXPECT_DOUBLE_EQ(locate({1, 2, 3, 1000}).value, 2.5);
  EXPECT_DOUBLE_EQ(locate({1, 2, 3, 4, 1000}).value, 3);
}

TEST(Statistics, VarianceOfALocationIsWhatItScattersBy) {
  // A function estimates the location of a sample (its middle), and the variance of this estimate.
  // Over 20,000 samples, the test compares the mean of the estimated variances with the variance
  // that the locations really have. The ratio of the two has a relative standard deviation of about
  // sqrt(2 / 20000) = 1 %, plus the deviation of the estimates. Winsorized variances of small
  // samples are known to be biased by up to about 20 %.
  for (const std::size_t count : {2u, 3u, 4u, 5u, 9u, 20u}) {
    std::mt19937_64 random(count);
    std::normal_distribution<double> normal;
    std::vector<double> values;
    double told = 0;
    constexpr int kRepeats = 20000;
    for (int i = 0; i < kRepeats; ++i) {
      std::vector<double> sample(count);
      for (double& value : sample) value = normal(random);
      const Location location = locate(sample);
      values.push_back(location.value);
      told += location.variance / kRepeats;
    }
    const double seen = deviation(values) * deviation(values);
    EXPECT_NEAR(told / seen, 1, 0.2) << count << " values";
  }
}

TEST(Statistics, QuantilesAreTheTabulatedOnes) {
  EXPECT_NEAR(normal_quantile(0.975), 1.959964, 1e-6);
  EXPECT_NEAR(normal_quantile(0.5), 0, 1e-6);
  // The expected values come from one-sided tables of Student's t. The series expansion must be
  // right to 1 % from 3 degrees of freedom on. For more degrees of freedom it is much better.
  EXPECT_NEAR(student_quantile(0.95, 6), 1.943, 0.002);
  EXPECT_NEAR(student_quantile(0.99, 6), 3.143, 0.01);
  EXPECT_NEAR(student_quantile(0.995, 6), 3.707, 0.02);
  EXPECT_NEAR(student_quantile(0.995, 30), 2.750, 0.001);
}

TEST(Statistics, WhatTwoSamplesShareCancelsInPairs) {
  // The times in both samples rise by about 30 % from the first to the last value. In each pair of
  // values, the value of the second sample is larger by 2 %.
  std::vector<double> below, above;
  for (int i = 0; i < 8; ++i) {
    below.push_back(0.04 * i);
    above.push_back(0.04 * i + 0.02);
  }
  const Prior quiet{1e-8, 6};
  const Gap paired = paired_gap(above, below, quiet);
  EXPECT_NEAR(paired.value, 0.02, 1e-12);
  EXPECT_LT(paired.half_width(0.995), 0.001);
  const Gap apart = independent_gap(locate(above), locate(below), quiet);
  EXPECT_NEAR(apart.value, 0.02, 1e-12);
  EXPECT_GT(apart.half_width(0.995), 0.02);
}

TEST(Statistics, AnIntervalHoldsTheTrueGapAsOftenAsItSays) {
  // The true gap lies beyond each end of the interval with a probability of 0.5 %. So in 5,000
  // repetitions it may lie outside about 50 times, with a standard deviation of 7. It is outside
  // less often, because the prior is exactly right here. An interval of half the width reaches 1.6
  // deviations to each side, so the gap lies outside of it in about 11 % of the repetitions (550).
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(0, 0.03);
  int misses = 0, misses_of_half = 0;
  for (int i = 0; i < 5000; ++i) {
    std::vector<double> above(6), below(6);
    for (double& value : above) value = 0.1 + noise(random);
    for (double& value : below) value = noise(random);
    const Gap gap = paired_gap(above, below, {0.03 * 0.03, 6});
    misses += std::abs(gap.value - 0.1) > gap.half_width(0.995);
    misses_of_half += std::abs(gap.value - 0.1) > gap.half_width(0.995) / 2;
  }
  EXPECT_LE(misses, 50 + 4 * 7);
  EXPECT_GE(misses_of_half, 300);
}

TEST(Statistics, PoolingLearnsTheNoise) {
  std::mt19937_64 random(2);
  std::normal_distribution<double> noise(0, 0.10);
  std::vector<Location> locations;
  for (int i = 0; i < 100; ++i) {
    locations.push_back(locate({noise(random) + i, noise(random) + i, noise(random) + i}));
  }
  // The pooled variance has 206 degrees of freedom, 6 of which come from the prior of 3 %. So its
  // relative standard deviation is sqrt(2/206) = 10 %.
  const Prior prior = pool(locations, {0.03 * 0.03, 6});
  EXPECT_NEAR(prior.variance / 0.01, 200.0 / 206, 0.3);
  EXPECT_EQ(prior.freedom, 206);
}

}  // namespace
}  // namespace atc::tune
