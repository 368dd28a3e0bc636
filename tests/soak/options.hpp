// The command line of the soak.
#pragma once

#include <cstdint>

namespace soak {

struct Options {
  double seconds = 60;      // on the CPU: the seconds of the run; set by --minutes
  std::size_t threads = 4;  // that call atc
  std::uint64_t seed = 0;   // 0: drawn, and printed
  std::size_t layers = 48;  // distinct problems
  bool reference_only = false;
  bool on_cuda = false;
  std::uint64_t calls = 1'000'000;  // on CUDA: convolutions
  double most_seconds = 100;        // on CUDA: the most seconds of the run; if they are over, the
                                    // run ends with the rounds that it has done
  std::uint64_t tolerated = 0;  // on CUDA: how many rests (pauses in which memory is checked) may
                                // exceed a bound before the run ends with an error
};

// Reads the command line. If an argument is wrong, prints a sentence and ends the process with
// status 2.
Options parse_options(int argc, char** argv);

}  // namespace soak
