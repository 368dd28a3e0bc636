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
  // The cycles that a block takes for its beginning and its end.
  double block = 8000;
  // The cycles that a warp takes for each row of dy, in addition to the parts below.
  double row = 540;
  double product = 1.5;  // the cycles that an mma instruction takes
  // The cycles that a load of operands from shared memory takes.
  double load = 8.7;
  // The cycles in which each lane of a warp copies one unit (an aligned piece of a row) to shared
  // memory.
  double copy = 60;
  double turn = 35;  // the cycles that a transposition of 128 bytes takes
  // The cycles that a warp takes to store one row of dx for 16 blocks of columns.
  double store = 400;
  // The factor by which the time grows if a multiprocessor runs two blocks at the same time.
  double shared = 1.4;
};

}  // namespace atc::first
