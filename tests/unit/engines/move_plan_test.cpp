// Tests how a move (a copy between two memory layouts) is divided into launches whose indices fit
// into 32 bits.
#include <gtest/gtest.h>

#include "engines/rewrite/move/plan.hpp"

namespace atc::rewrite {
namespace {

// The move writes the gradient of the input of a 1x1 layer with stride 30000. The gradient has
// 40000 x 40000 elements, of which only 2 x 2 come from the gradient of y. The others are zero.
TEST(MovePlan, DividesWhatHasLessThanTwoSteps) {
  Move move;
  move.dims = {{40000, 2, 30000, 2, 40000}, {40000, 2, 30000, 1, 1}};
  const std::vector<MoveLaunch> launches = plan(move, 4, 16, 16);
  // The rows 0 to 29999 have too many elements for the 32-bit indices of one launch. So they are
  // divided at column 30000 into two launches.
  ASSERT_EQ(launches.size(), 3u);
  EXPECT_EQ(launches[0].target_offset, 0u);
  EXPECT_EQ(launches[1].target_offset, 30000u * 4u);
  EXPECT_EQ(launches[1].source_offset, 4u);
  EXPECT_EQ(launches[2].target_offset, 30000ull * 40000u * 4u);
  EXPECT_EQ(launches[2].source_offset, 2u * 4u);
}

TEST(MovePlan, DividesWhatHasLessThanOneStep) {
  Move move;
  move.dims = {{40000, 1, 50000, 1, 40000}, {40000, 1, 50000, 1, 1}};
  const std::vector<MoveLaunch> launches = plan(move, 4, 16, 16);
  ASSERT_EQ(launches.size(), 2u);
  EXPECT_EQ(launches[1].target_offset, 20000ull * 40000u * 4u);
}

}  // namespace
}  // namespace atc::rewrite
