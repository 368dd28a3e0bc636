// Constants of the estimates of time for the kernels of `dense`. The estimates decide which
// configurations are tried, and in which order.
//
// Most constants were set by hand, while the kernels were developed, on an NVIDIA H200 (132
// multiprocessors). The measured times were not kept. If a constant comes from elsewhere, its
// comment says so. bench/fit_costs fits the constants to new measurements.
#pragma once

namespace atc::dense {

// Constants for forward and backward-data, which were set on 2026-11-23. Times are in cycles of a
// multiprocessor.
struct Costs {
  // The number of multiply-adds of 16-bit operands that a multiprocessor computes per cycle. This
  // is the peak of compute capability 9.0.
  double products_per_cycle = 2048;
  // The bytes that a multiprocessor gets from the L2 cache per cycle.
  double bytes_per_cycle = 28;
  // The cycles that a producer thread takes for one load of its part of a chunk.
  double load = 450;
  // The cycles that a tile takes for its beginning and its end.
  double around = 4000;
  // The cycles for the launch of the kernel that adds partials.
  double sum = 5000;
  // The bytes of partials that all multiprocessors together add per cycle.
  double sum_bytes_per_cycle = 1000;
  // The fraction by which the estimated time grows with each strip into which an image is cut.
  double strip = 0.002;
};

// Constants for backward-weight, which were set on 2026-11-22. Times are in cycles of a
// multiprocessor.
struct WeightCosts {
  // The cycles that a warpgroup takes for the products of a step.
  double products = 96;
  // The cycles that a row of data (a line) takes in addition to its products or copies.
  double barrier = 300;
  // The cycles that a block takes for its beginning and its end.
  double block = 6000;
  // The bytes that a multiprocessor gets from the L2 cache per cycle.
  double bytes_per_cycle = 28;
  // The bytes of partials that all multiprocessors together write and read per cycle.
  double sum_bytes_per_cycle = 1200;
  double copy = 0.12;  // the cycles that one copy instruction takes
  // The factor by which copies take longer if shared memory has the inputs of only two lines (rows
  // of data).
  double shallow = 1.1;
};

// Constants for forward and backward-data of pointwise convolutions. Times are in cycles of a
// multiprocessor.
struct PointwiseCosts {
  // The number of multiply-adds of TF32 operands that a multiprocessor computes per cycle. This is
  // the peak of compute capability 9.0.
  double products_per_cycle = 1024;
  double bytes_per_cycle = 28;  // bytes that a multiprocessor gets from the L2 cache per cycle
  // The cycles that a chunk of channels takes in addition to its products or copies.
  double chunk = 50;
  // The cycles that a block takes to store one sum.
  double store = 0.1;
  double around = 1000;  // cycles that a tile takes for its beginning and its end
};

// Constants for backward-weight of pointwise convolutions. Times are in cycles of a multiprocessor.
struct PointwiseWeightCosts {
  // The number of multiply-adds of 16-bit operands that a multiprocessor computes per cycle. This
  // is the peak of compute capability 9.0.
  double products_per_cycle = 2048;
  // The bytes that a multiprocessor gets from the L2 cache per cycle.
  double bytes_per_cycle = 28;
  // The cycles that a chunk of pixels takes in addition to its products or copies.
  double chunk = 50;
  // The cycles that one copy of 4 or 8 bytes takes. Threads make such copies if tensor maps cannot
  // be used.
  double copy = 0.15;
  double block = 4000;  // cycles that a block takes for its beginning and its end
  // The bytes of partials that all multiprocessors together write and add per cycle.
  double sum_bytes_per_cycle = 1000;
};

}  // namespace atc::dense
