// Constants of the estimate of time for backward-data in strips (strips.cu). The estimate decides
// which configurations are tried, and in which order.
//
// The constants were set by hand on 2026-11-23, while the kernels were developed, on an NVIDIA H200
// (132 multiprocessors). The measured times were not kept. bench/fit_costs fits the constants to
// new measurements.
#pragma once

namespace atc::first {

// The time of a warp, in cycles, for each part of its work. For each row of dy, the estimate counts
// `row` once, and each of the members from `product` to `store` as often as the warp does this
// part.
struct StripCosts {
  double block = 8000;   // cycles that a block takes for its beginning and its end
  double row = 540;      // cycles for each row of dy, in addition to those of the members below
  double product = 1.5;  // cycles that an mma instruction takes
  double load = 8.7;     // cycles that a load of operands from shared memory takes
  double copy = 60;      // cycles in which each lane copies one unit (an aligned piece of a row) to
                         // shared memory
  double turn = 35;      // cycles to transpose 128 bytes
  double store = 400;    // cycles to store one row of dx for 16 blocks of columns
  double shared = 1.4;   // factor on the time if a multiprocessor runs two blocks at the same time
};

}  // namespace atc::first
