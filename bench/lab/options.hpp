// The command line of bench_lab.
#pragma once

#include <string>
#include <vector>

namespace atc::lab {

struct Options {
  std::string shapes = "bench/shapes/public.txt";
  std::string classes = "bench/shapes/classes.txt";
  std::string family = "all";
  std::vector<std::string> layers, ops, sets, engines;  // empty: all
  double budget = 10;                                   // seconds of one race
  double total = 1e9;                                   // seconds, after which no race is begun
  std::string out;                                      // "": standard output
  bool resume = false;                                  // leave out what `out` has already
  std::string commit = "unknown";
};

// Exits with a message where an option is unknown or its value makes no sense.
Options parse_options(int argc, char** argv);

}  // namespace atc::lab
