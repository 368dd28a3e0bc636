// Tests that a process keeps the decisions of only a limited number of races in memory.
#include "conv/memory.hpp"

#include <gtest/gtest.h>

#include "conv/recent_map.hpp"
#include "store/entry.hpp"

namespace atc::conv {
namespace {

TEST(RecentMap, ForgetsWhatWasAskedForLongestAgo) {
  RecentMap<int> map(2);
  map["a"] = 1;
  map["b"] = 2;
  EXPECT_EQ(*map.find("a"), 1);
  map["c"] = 3;
  EXPECT_EQ(map.find("b"), nullptr);
  EXPECT_EQ(*map.find("a"), 1);
  EXPECT_EQ(*map.find("c"), 3);
  map["a"] = 4;
  map["d"] = 5;
  EXPECT_EQ(map.find("c"), nullptr);
  EXPECT_EQ(*map.find("a"), 4);
}

store::Key numbered(std::size_t number) { return {{{"device", "cpu"}}, {{"n", number}}, ""}; }

TEST(Memory, KeepsTheDecisionsOfTheProblemsUsedLast) {
  const Knowledge knowledge = Knowledge::without_store();
  for (std::size_t i = 0; i <= kMostRemembered; ++i) {
    remember(knowledge, numbered(i), {});
    EXPECT_EQ(recall(knowledge, numbered(1)).size(), i > 0 ? 1U : 0U);
  }
  EXPECT_TRUE(recall(knowledge, numbered(0)).empty());
  EXPECT_TRUE(!recall(knowledge, numbered(1)).empty());
  EXPECT_TRUE(!recall(knowledge, numbered(kMostRemembered)).empty());
}

}  // namespace
}  // namespace atc::conv
