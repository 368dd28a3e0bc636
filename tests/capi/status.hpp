// Failing calls as tests see them.
#pragma once

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "atc/atc.h"

// The call failed with `status`, and its text holds each of `parts`.
#define EXPECT_REFUSED(call, status, ...)                                                          \
  do {                                                                                             \
    const ::atc_status refused_with = (call);                                                      \
    EXPECT_EQ(refused_with, status) << atc_status_name(refused_with);                              \
    const std::vector<std::string> parts = {__VA_ARGS__};                                          \
    for (const std::string& part : parts) EXPECT_THAT(atc_last_error(), testing::HasSubstr(part)); \
  } while (false)

#define EXPECT_DONE(call) EXPECT_EQ((call), ATC_OK) << atc_last_error()
#define ASSERT_DONE(call) ASSERT_EQ((call), ATC_OK) << atc_last_error()
