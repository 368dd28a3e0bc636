// Helpers for a program that has several named scenarios and runs the one that its argument names.
// Usage: "PROGRAM SCENARIO".
#pragma once

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "atc/base.h"

namespace atc_test {

struct Scenario {
  const char* name;
  void (*run)();
};

// If the condition is false, ends the process without running destructors, because the end of the
// process is part of a scenario.
inline void require(bool condition, const char* text) {
  if (condition) return;
  std::fprintf(stderr, "%s; the last error is \"%s\"\n", text, atc_last_error());
  std::_Exit(1);
}

template <std::size_t N>
int run_scenario(int argc, char** argv, const Scenario (&scenarios)[N]) {
  for (const Scenario& scenario : scenarios) {
    if (argc != 2 || std::strcmp(argv[1], scenario.name) != 0) continue;
    scenario.run();
    return 0;
  }
  std::fprintf(stderr, "usage: %s SCENARIO\n", argv[0]);
  return 2;
}

}  // namespace atc_test

#define REQUIRE(condition) ::atc_test::require(condition, #condition)
