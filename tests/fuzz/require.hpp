// The requirements of a fuzz target. If one is not met, the process ends, which the fuzzer reports.
#pragma once

#include <cstdio>
#include <cstdlib>

#define REQUIRE_OR_TELL(condition, told)                                                         \
  do {                                                                                           \
    if (!(condition)) {                                                                          \
      std::fprintf(stderr, "%s:%d: not true: %s; %s\n", __FILE__, __LINE__, #condition, (told)); \
      std::abort();                                                                              \
    }                                                                                            \
  } while (0)

#define REQUIRE(condition) REQUIRE_OR_TELL(condition, "")
