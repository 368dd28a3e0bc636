// Tests how many sets of operands a race makes. A race uses the sets in turn, so that no execution
// finds its operands in the cache.
#include "conv/race/arena.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <utility>
#include <vector>

#include "conv/race/site.hpp"

namespace atc::conv {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint64_t kEnough = std::numeric_limits<std::uint64_t>::max();

TEST(CountOfSets, FillsTheCachesWhereThereIsMemory) {
  EXPECT_EQ(count_of_sets({12 * kMiB, 18 * kMiB, 30 * kMiB, kEnough}), 4U);
  EXPECT_EQ(count_of_sets({kMiB, kMiB, 0, kEnough}), 2U);
}

TEST(CountOfSets, NeverTakesMoreThan512MiB) {
  EXPECT_EQ(count_of_sets({12 * kMiB, 18 * kMiB, 4096 * kMiB, kEnough}), 42U);
  EXPECT_EQ(count_of_sets({900 * kMiB, kMiB, 4096 * kMiB, kEnough}), 1U);
}

TEST(CountOfSets, ShrinksToWhatTheGateLeaves) {
  EXPECT_EQ(count_of_sets({12 * kMiB, 18 * kMiB, 4096 * kMiB, 90 * kMiB}), 6U);
  EXPECT_EQ(count_of_sets({12 * kMiB, 18 * kMiB, 4096 * kMiB, 40 * kMiB}), 1U);
}

TEST(CountOfSets, LeavesRoomForTheLargestWorkspaceThatFits) {
  const auto count = [](std::vector<std::uint64_t> workspaces) {
    return count_of_sets({12 * kMiB, 18 * kMiB, 4096 * kMiB, 90 * kMiB, std::move(workspaces)});
  };
  EXPECT_EQ(count({20 * kMiB}), 4U);
  EXPECT_EQ(count({60 * kMiB, 20 * kMiB}), 1U);
  // 61 MiB of workspace do not fit beside a single set, so only the workspace of 20 MiB counts
  EXPECT_EQ(count({61 * kMiB, 20 * kMiB}), 4U);
  EXPECT_EQ(count({500 * kMiB}), 6U);
}

TEST(CountOfSets, IsNoneWhereOneAndTheGateDoNotFit) {
  EXPECT_EQ(count_of_sets({12 * kMiB, 18 * kMiB, kMiB, 30 * kMiB}), 1U);
  EXPECT_EQ(count_of_sets({12 * kMiB, 18 * kMiB, kMiB, 30 * kMiB - 1}), 0U);
  EXPECT_EQ(count_of_sets({12 * kMiB, 18 * kMiB, kMiB, 0}), 0U);
  EXPECT_EQ(count_of_sets({kEnough, kEnough, 1, kEnough}), 0U);
}

}  // namespace
}  // namespace atc::conv
