// Constants of the estimates of time for the wgmma kernels of `implicit`. The estimates decide
// which configurations are tried, and in which order.
//
// Most constants were set by hand on 2026-11-23, while the kernels were developed, on an NVIDIA
// H200 (132 multiprocessors). The measured times were not kept. If a constant comes from elsewhere,
// its comment says so. bench/fit_costs fits the constants to new measurements.
#pragma once

namespace atc::implicit {

// Constants for forward and backward-data. Times are in cycles of a multiprocessor.
struct RasterCosts {
  // The number of multiply-adds of 16-bit operands that a multiprocessor computes per cycle. This
  // is the peak of compute capability 9.0.
  double products_per_cycle = 2048;
  // The bytes of filters that a multiprocessor gets from the L2 cache per cycle.
  double bytes_per_cycle = 28;
  // The bytes of a tile's input that a multiprocessor loads per cycle.
  double input_bytes_per_cycle = 14;
  // The cycles that a block takes for its beginning and its end.
  double around = 3500;
  // Used only if a multiprocessor runs several blocks. It is a fraction of the time for a block's
  // input, beginning and end: the fraction that the work of the other blocks does not hide.
  double beside = 0.5;
};

// Constants for backward-weight. Times are in cycles of a multiprocessor.
struct RasterGradientCosts {
  double products_per_cycle = 2048;  // as RasterCosts::products_per_cycle
  // The bytes of a tile's input and outputs that a multiprocessor gets from the L2 cache per cycle.
  double bytes_per_cycle = 24;
  // The cycles that a tile takes in addition to its products or copies.
  double around = 900;
  // The cycles that a block takes for its beginning and its end.
  double block = 6000;
  // The bytes of partials that all multiprocessors together write or read per cycle.
  double parts_per_cycle = 1200;
};

}  // namespace atc::implicit
