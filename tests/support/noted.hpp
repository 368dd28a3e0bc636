// Counts the problems that calls have noted, to be tuned later.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>

#include "atc/base.h"
#include "atc/problems.h"

namespace atc::test {

inline std::size_t count_noted() {
  atc_problems* problems = nullptr;
  std::size_t count = 99;
  EXPECT_EQ(atc_problems_create(&problems), ATC_OK) << atc_last_error();
  EXPECT_EQ(atc_problems_add_noted(problems), ATC_OK) << atc_last_error();
  EXPECT_EQ(atc_problems_count(&count, problems), ATC_OK) << atc_last_error();
  atc_problems_destroy(problems);
  return count;
}

}  // namespace atc::test
