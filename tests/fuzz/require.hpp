// Macros that check conditions in a fuzz target. If a condition is false, the process aborts, so
// that the fuzzer reports the input.
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
