// Tests has_unreached_elements(), which says whether there are elements of x that no window reads.
#include "core/unreached.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "support/problems.hpp"

namespace atc {
namespace {

// Returns a problem of one spatial dimension.
Problem row(std::int64_t in, std::int64_t kernel, std::int64_t stride, std::int64_t dilation,
            std::int64_t low, std::int64_t high) {
  test::Spec spec;
  spec.spatial = 1;
  spec.in[0] = in;
  spec.kernel[0] = kernel;
  spec.stride[0] = stride;
  spec.dilation[0] = dilation;
  spec.pad_low[0] = low;
  spec.pad_high[0] = high;
  return test::build(spec);
}

Problem row(std::int64_t in, std::int64_t kernel, std::int64_t stride, std::int64_t dilation = 1,
            std::int64_t pad = 0) {
  return row(in, kernel, stride, dilation, pad, pad);
}

// Computes the answer from the definition: marks each element that a window reads, and looks for
// elements without a mark.
bool has_unreached_by_definition(const Problem& problem) {
  std::vector<bool> reached(static_cast<std::size_t>(problem.in(0)));
  for (std::int64_t o = 0; o < problem.out(0); ++o)
    for (std::int64_t t = 0; t < problem.kernel(0); ++t) {
      const std::int64_t i = o * problem.stride[0] + t * problem.dilation[0] - problem.pad_low[0];
      if (i >= 0 && i < problem.in(0)) reached[static_cast<std::size_t>(i)] = true;
    }
  for (const bool one : reached)
    if (!one) return true;
  return false;
}

TEST(Unreached, ElementsAreThoseInNoWindow) {
  int with = 0, without = 0;
  for (std::int64_t in = 1; in < 20; ++in)
    for (std::int64_t kernel = 1; kernel < 6; ++kernel)
      for (std::int64_t stride = 1; stride < 5; ++stride)
        for (std::int64_t dilation = 1; dilation < 4; ++dilation)
          for (std::int64_t pad = 0; pad < 3; ++pad) {
            if (in + 2 * pad < dilation * (kernel - 1) + 1) continue;
            const Problem problem = row(in, kernel, stride, dilation, pad);
            const bool expected = has_unreached_by_definition(problem);
            EXPECT_EQ(has_unreached_elements(problem), expected) << describe(problem);
            ++(expected ? with : without);
          }
  EXPECT_GT(with, 100);
  EXPECT_GT(without, 100);
}

TEST(Unreached, VastExtentsAreLookedAtAtTheirEnds) {
  constexpr std::int64_t kVast = std::int64_t{1} << 30;
  EXPECT_FALSE(has_unreached_elements(row(kVast, 3, 2, 1, 1)));
  // No window reaches the last element of x.
  EXPECT_TRUE(has_unreached_elements(row(kVast, 3, 2, 1, 0)));
  EXPECT_TRUE(has_unreached_elements(row(kVast, 1, 2)));
  EXPECT_FALSE(has_unreached_elements(row(kVast, kVast / 2, 1)));
}

TEST(Unreached, PaddingOnOneSideMovesTheWindows) {
  EXPECT_FALSE(has_unreached_elements(row(7, 3, 2, 1, 0, 0)));
  // No window reaches the last element of x.
  EXPECT_TRUE(has_unreached_elements(row(8, 3, 2, 1, 0, 0)));
  // padding moves the windows, so that they reach the last element
  EXPECT_FALSE(has_unreached_elements(row(8, 3, 2, 1, 1, 1)));
  // The elements of x between two windows are in no window.
  EXPECT_TRUE(has_unreached_elements(row(9, 1, 2, 1, 0, 0)));
  EXPECT_TRUE(has_unreached_elements(row(9, 3, 4, 1, 1, 1)));
  // Every second element of x is in no window.
  EXPECT_TRUE(has_unreached_elements(row(9, 3, 2, 2, 0, 0)));
  EXPECT_TRUE(has_unreached_elements(row(9, 3, 1, 4, 0, 0)));  // one window with gaps
}

}  // namespace
}  // namespace atc
