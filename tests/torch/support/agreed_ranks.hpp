// Checks the lines that the ranks of a job write if they have agreed.
#pragma once

#include <gmock/gmock.h>

#include <set>
#include <string>
#include <vector>

#include "capi/group_job.hpp"

namespace atc_test {

// All ranks have the same decisions, which calls use, and the ranks have measured `problems`
// together.
inline void expect_agreed(const std::vector<Told>& all, std::size_t problems) {
  std::set<std::string> digests;
  std::set<std::vector<std::string>> eager;
  std::size_t measured = 0;
  for (const Told& one : all) {
    EXPECT_EQ(one.status(), "ATC_OK") << one.one("text");
    digests.insert(one.one("digest"));
    eager.insert(one.all("eager"));
    EXPECT_THAT(one.all("eager"), testing::Each(testing::StartsWith("ATC_SOURCE_AGREED ")));
    measured += std::stoul("0" + one.one("measured"));
  }
  EXPECT_THAT(digests, testing::SizeIs(1));
  EXPECT_THAT(eager, testing::SizeIs(1));
  EXPECT_EQ(measured, problems);
}

}  // namespace atc_test
