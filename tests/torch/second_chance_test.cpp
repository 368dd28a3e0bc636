// Tests the map in which the bridge keeps the memory layouts of LibTorch's outputs.
#include "second_chance.hpp"

#include <gtest/gtest.h>

#include <string>

namespace atc_torch {
namespace {

std::string key(int number) { return "key " + std::to_string(number); }

TEST(SecondChance, ForgetsOneAtATimeTheOldestFirst) {
  SecondChance<int> map(3);
  for (int i = 0; i < 5; ++i) map.put(key(i), i);
  EXPECT_EQ(map.size(), 3u);
  EXPECT_EQ(map.find(key(0)), nullptr);
  EXPECT_EQ(map.find(key(1)), nullptr);
  for (int i = 2; i < 5; ++i) {
    ASSERT_NE(map.find(key(i)), nullptr) << i;
    EXPECT_EQ(*map.find(key(i)), i);
  }
}

TEST(SecondChance, KeepsWhatIsLookedUp) {
  SecondChance<int> map(3);
  for (int i = 0; i < 100; ++i) {
    map.put(key(i), i);
    EXPECT_NE(map.find(key(0)), nullptr) << "after " << i;
  }
  EXPECT_EQ(map.size(), 3u);
}

TEST(SecondChance, ReplacesAValueWithoutForgettingAnother) {
  SecondChance<int> map(2);
  map.put(key(0), 0);
  map.put(key(1), 1);
  map.put(key(0), 7);
  EXPECT_EQ(*map.find(key(0)), 7);
  EXPECT_EQ(*map.find(key(1)), 1);
}

TEST(SecondChance, ForgetsOneEvenIfAllWereLookedUp) {
  SecondChance<int> map(2);
  map.put(key(0), 0);
  map.put(key(1), 1);
  map.find(key(0));
  map.find(key(1));
  map.put(key(2), 2);
  EXPECT_EQ(map.size(), 2u);
  EXPECT_EQ(map.find(key(0)), nullptr);
  EXPECT_NE(map.find(key(2)), nullptr);
}

}  // namespace
}  // namespace atc_torch
