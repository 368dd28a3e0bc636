// Tests the conversions to bf16 and f16. The expected values are computed in double.
#include "core/half.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/fill.hpp"

namespace atc {
namespace {

struct Format {
  Dtype dtype;
  int precision, least_exponent, bias, mantissa_bits;
};
constexpr Format kBf16{Dtype::bf16, 8, -126, 127, 7};
constexpr Format kF16{Dtype::f16, 11, -14, 15, 10};

// Returns the value of a finite bit pattern, computed from the definition of the format.
double meaning(const Format& f, std::uint16_t bits) {
  const int fraction = bits & ((1 << f.mantissa_bits) - 1);
  const int exponent = (bits & 0x7fff) >> f.mantissa_bits;
  const double size = exponent == 0 ? std::ldexp(fraction, f.least_exponent - f.mantissa_bits)
                                    : std::ldexp(fraction + (1 << f.mantissa_bits),
                                                 exponent - f.bias - f.mantissa_bits);
  return bits & 0x8000 ? -size : size;
}

int infinity_of(const Format& f) { return 0x7fff & ~((1 << f.mantissa_bits) - 1); }

float to_float(const Format& f, std::uint16_t bits) {
  return f.dtype == Dtype::bf16 ? bf16_to_float(bits) : f16_to_float(bits);
}
std::uint16_t from_double(const Format& f, double value) {
  return f.dtype == Dtype::bf16 ? bf16_from_double(value) : f16_from_double(value);
}

class Half : public ::testing::TestWithParam<Format> {};

TEST_P(Half, EveryPatternHasItsMeaningAndComesBack) {
  const Format& f = GetParam();
  for (int bits = 0; bits < 0x10000; ++bits) {
    const auto pattern = static_cast<std::uint16_t>(bits);
    if ((bits & 0x7fff) > infinity_of(f)) {
      EXPECT_TRUE(std::isnan(to_float(f, pattern))) << bits;
      EXPECT_TRUE(std::isnan(to_float(f, from_double(f, to_float(f, pattern))))) << bits;
    } else if ((bits & 0x7fff) == infinity_of(f)) {
      EXPECT_TRUE(std::isinf(to_float(f, pattern))) << bits;
      EXPECT_EQ(from_double(f, to_float(f, pattern)), pattern);
    } else {
      ASSERT_EQ(to_float(f, pattern), meaning(f, pattern)) << bits;
      ASSERT_EQ(from_double(f, meaning(f, pattern)), pattern) << bits;
    }
  }
}

// Tests numbers between two neighbouring values of the format (bf16 or f16). The number in the
// middle is rounded to the even neighbour. A number just below or above the middle is rounded to
// the neighbour on its own side. If a number near the middle were first rounded to float, it could
// become the middle and be rounded to the wrong side.
TEST_P(Half, RoundsToNearestEvenOnce) {
  const Format& f = GetParam();
  for (int bits = 0; bits < infinity_of(f) - 1; ++bits) {
    const auto low = static_cast<std::uint16_t>(bits), high = static_cast<std::uint16_t>(bits + 1);
    const double middle = (meaning(f, low) + meaning(f, high)) / 2;  // exact in double
    const double below = std::nextafter(middle, 0.0), above = std::nextafter(middle, 1e300);
    ASSERT_EQ(from_double(f, middle), bits % 2 ? high : low) << bits;
    ASSERT_EQ(from_double(f, below), low) << bits;
    ASSERT_EQ(from_double(f, above), high) << bits;
    ASSERT_EQ(from_double(f, -middle), (bits % 2 ? high : low) | 0x8000) << bits;
  }
}

TEST_P(Half, OverflowsToInfinityFromTheMiddleOn) {
  const Format& f = GetParam();
  const auto largest = static_cast<std::uint16_t>(infinity_of(f) - 1);
  const double step = meaning(f, largest) - meaning(f, static_cast<std::uint16_t>(largest - 1));
  const double middle = meaning(f, largest) + step / 2;
  EXPECT_EQ(from_double(f, std::nextafter(middle, 0.0)), largest);
  EXPECT_EQ(from_double(f, middle), infinity_of(f));
  EXPECT_EQ(from_double(f, 1e300), infinity_of(f));
  EXPECT_EQ(from_double(f, -1e300), infinity_of(f) | 0x8000);
  EXPECT_EQ(from_double(f, 1e-300), 0);
  EXPECT_EQ(from_double(f, -1e-300), 0x8000);
}

TEST_P(Half, UnitRoundoffIsTheLargestRelativeError) {
  const Format& f = GetParam();
  double largest = 0;
  for (std::uint64_t i = 0; i < 100000; ++i) {
    const double value = 1 + static_cast<double>(mix(1, i) >> 11) * 0x1p-53;
    largest = std::max(largest, std::fabs(round_to(f.dtype, value) - value) / value);
  }
  EXPECT_LE(largest, unit_roundoff(f.dtype));
  EXPECT_GT(largest, unit_roundoff(f.dtype) * 0.9);
}

INSTANTIATE_TEST_SUITE_P(Formats, Half, ::testing::Values(kBf16, kF16),
                         [](const auto& info) { return std::string(name_of(info.param.dtype)); });

Tensor row(Dtype dtype, std::int64_t extent, std::int64_t stride) {
  Tensor tensor;
  tensor.dtype = dtype;
  tensor.rank = 1;
  tensor.shape[0] = extent;
  tensor.strides[0] = stride;
  return tensor;
}

TEST(Fill, TernaryTakesAllThreeEquallyAndLeavesGaps) {
  const Tensor tensor = row(Dtype::f32, 30000, 2);
  std::vector<float> data(static_cast<std::size_t>(tensor.span()), 7);
  fill_ternary(tensor, data.data(), 5);
  int counts[3] = {};
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (i % 2) {
      ASSERT_EQ(data[i], 7) << i;
      continue;
    }
    ASSERT_TRUE(data[i] == -1 || data[i] == 0 || data[i] == 1) << data[i];
    ++counts[static_cast<int>(data[i]) + 1];
  }
  // Each of the values -1, 0 and 1 must occur about 10,000 times. The bound is six standard
  // deviations: the counts have a binomial distribution with p = 1/3, whose standard deviation is
  // sqrt(30000 * 2/9) = 81.7.
  for (int count : counts) EXPECT_NEAR(count, 10000, 6 * 81.7);
}

TEST(Fill, NormalHasMeanZeroAndVarianceOne) {
  const Tensor tensor = row(Dtype::f32, 40000, 1);
  std::vector<float> data(40000);
  fill_normal(tensor, data.data(), 5);
  double sum = 0, squares = 0;
  for (float value : data) {
    sum += value;
    squares += static_cast<double>(value) * value;
  }
  // the bound of the mean is six standard errors; a standard error is 1 / sqrt(40000) = 1 / 200
  EXPECT_NEAR(sum / 40000, 0, 6 / 200.0);
  // The bound is six standard deviations. Each number is a sum of four uniform numbers, scaled to
  // variance 1, whose fourth moment is 2.7. So the standard deviation of the mean square is
  // sqrt(1.7 / 40000) = 0.0065.
  EXPECT_NEAR(squares / 40000, 1, 6 * 0.0065);
}

TEST(Fill, ContentsFollowTheLogicalPositionNotTheLayout) {
  const Tensor dense = row(Dtype::bf16, 100, 1), sparse = row(Dtype::bf16, 100, 3);
  std::vector<std::uint16_t> a(100), b(300);
  fill_normal(dense, a.data(), 9);
  fill_normal(sparse, b.data(), 9);
  for (std::size_t i = 0; i < 100; ++i) ASSERT_EQ(a[i], b[3 * i]);
}

}  // namespace
}  // namespace atc
