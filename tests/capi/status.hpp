// Macros for tests that expect calls to fail, and a log sink that collects the lines of the log.
#pragma once

#include <gmock/gmock.h>

#include <cstdint>
#include <string>
#include <vector>

#include "atc/atc.h"

// Expects that the call returns `status`, and that the error text contains each of the further
// arguments.
#define EXPECT_REFUSED(call, status, ...)                                                          \
  do {                                                                                             \
    const ::atc_status refused_with = (call);                                                      \
    EXPECT_EQ(refused_with, status) << atc_status_name(refused_with);                              \
    const std::vector<std::string> parts = {__VA_ARGS__};                                          \
    for (const std::string& part : parts) EXPECT_THAT(atc_last_error(), testing::HasSubstr(part)); \
  } while (false)

#define EXPECT_DONE(call) EXPECT_EQ((call), ATC_OK) << atc_last_error()
#define ASSERT_DONE(call) ASSERT_EQ((call), ATC_OK) << atc_last_error()

namespace atc_test {

inline atc_status use_log_sink(void (*write)(void*, std::int32_t, const char*), void* user) {
  atc_log_sink sink{};
  sink.struct_size = sizeof(sink);
  sink.user = user;
  sink.write = write;
  return atc_log_sink_set(&sink);
}

}  // namespace atc_test
