#include "core/quantity.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace atc {
namespace {

TEST(Quantity, TimesHaveAFittingUnitAndNoExponent) {
  EXPECT_EQ(time_text(2.034), "2.034 s");
  EXPECT_EQ(time_text(2), "2 s");
  EXPECT_EQ(time_text(60), "60 s");
  EXPECT_EQ(time_text(12345.6), "12346 s");
  EXPECT_EQ(time_text(0.00183), "1.83 ms");
  EXPECT_EQ(time_text(8.2e-6), "8.2 µs");
  EXPECT_EQ(time_text(430e-6), "430 µs");
  EXPECT_EQ(time_text(21e-6), "21 µs");
  EXPECT_EQ(time_text(8.5e-8), "0.085 µs");
  EXPECT_EQ(time_text(0), "0 s");
  EXPECT_EQ(time_text(-0.25), "-250 ms");
  EXPECT_EQ(time_text(std::numeric_limits<double>::infinity()), "inf s");
}

TEST(Quantity, WhatIsRoundedUpHasTheNextUnit) {
  EXPECT_EQ(time_text(0.99996), "1 s");
  EXPECT_EQ(time_text(0.9999), "999.9 ms");
  EXPECT_EQ(time_text(0.00099996), "1 ms");
  EXPECT_EQ(time_text(9.9996), "10 s");
  EXPECT_EQ(time_text(99.996), "100 s");
}

TEST(Quantity, RatiosHaveThreeDigits) {
  EXPECT_EQ(ratio_text(1.3123), "1.31");
  EXPECT_EQ(ratio_text(3), "3");
  EXPECT_EQ(ratio_text(12.04), "12");
  EXPECT_EQ(ratio_text(12.34), "12.3");
  EXPECT_EQ(ratio_text(9.997), "10");
  EXPECT_EQ(ratio_text(99.96), "100");
  EXPECT_EQ(ratio_text(2030), "2030");
  EXPECT_EQ(ratio_text(0.4444), "0.44");
}

TEST(Quantity, LongTimesAreComparedByMultiplesAndOthersByShares) {
  EXPECT_EQ(compared_text(1), "as long as");
  EXPECT_EQ(compared_text(1.0004), "as long as");
  EXPECT_EQ(compared_text(1.043), "4.3 % more time than");
  EXPECT_EQ(compared_text(0.425), "57.5 % less time than");
  EXPECT_EQ(compared_text(8.233), "8.23 times as long as");
  EXPECT_EQ(compared_text(2), "2 times as long as");
}

}  // namespace
}  // namespace atc
