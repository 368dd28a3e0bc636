// Checks the lines that the ranks (the processes of a job) write if they have agreed on their
// decisions.
#pragma once

#include <gmock/gmock.h>

#include <cstddef>
#include <vector>

#include "capi/group_job.hpp"

namespace atc_test {

// Expects that all ranks (processes of the job) have the same decisions, that eager calls use these
// decisions, and that the ranks have measured `problems` problems together.
inline void expect_agreed(const std::vector<Told>& all, std::size_t problems) {
  expect_agreed(all);
  for (const Told& one : all) {
    EXPECT_EQ(one.signal, 0);
    EXPECT_THAT(one.all("eager"), testing::Each(testing::StartsWith("ATC_SOURCE_AGREED ")));
  }
  EXPECT_EQ(measured(all), problems);
}

}  // namespace atc_test
