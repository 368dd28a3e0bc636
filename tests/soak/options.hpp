// The command line of the soak (the long run of many threads).
#pragma once

#include <cstdint>

namespace soak {

struct Options {
  double seconds = 60;      // on the CPU: the seconds of the run; set by --minutes
  std::size_t threads = 4;  // the number of threads that call atc
  std::uint64_t seed = 0;   // the seed of the random numbers; 0: a random seed, which is printed
  std::size_t layers = 48;  // the number of different problems that the run uses
  bool reference_only = false;
  bool on_cuda = false;
  std::uint64_t calls = 1'000'000;  // on CUDA: the number of convolutions after which the run ends
  // On CUDA: the longest time of the run in seconds. After this time the run ends, even if fewer
  // convolutions than `calls` were made.
  double most_seconds = 100;
  // On CUDA: the number of rests (pauses in which memory is checked) that may exceed a bound. If
  // there are more, the run ends with an error.
  std::uint64_t tolerated = 0;
};

// Reads the command line. If an argument is wrong, prints a sentence and ends the process with
// status 2.
Options parse_options(int argc, char** argv);

}  // namespace soak
