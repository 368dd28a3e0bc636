// Constants of the time estimate by which configurations in strips are ordered.
//
// Origin: set by hand on 2026-11-23, while these kernels were developed. The card was an NVIDIA
// H200 (132 multiprocessors). The measured times were not kept. bench/fit_costs fits the constants
// to new times.
#pragma once

namespace atc::first {

// In cycles of a warp.
struct StripCosts {
  double block = 8000;   // cycles that a block takes for its beginning and its end
  double row = 540;      // of outputs
  double product = 1.5;  // an mma instruction
  double load = 8.7;     // of operands from shared memory
  double copy = 60;      // cycles in which each lane copies one unit to shared memory
  double turn = 35;      // transposing 128 bytes
  double store = 400;    // cycles in which sixteen blocks of columns are stored, for one row of the
                         // input
  double shared = 1.4;   // factor on the time if two blocks run on a multiprocessor at the same
                         // time
};

}  // namespace atc::first
