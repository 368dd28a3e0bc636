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
  double bytes_per_cycle = 28;  // bytes that a multiprocessor gets from the L2 cache per
                                // cycle
  double load = 450;            // cycles that a thread takes for one load of a chunk
  double around = 4000;         // cycles that a tile takes for its beginning and its end
  double sum = 5000;            // cycles for the launch of the kernel that adds partials
  // The bytes of partials that all multiprocessors together add per cycle.
  double sum_bytes_per_cycle = 1000;
  // The fraction by which the estimated time grows with each strip into which an image is cut.
  double strip = 0.002;
};

// Constants for backward-weight, which were set on 2026-11-22. Times are in cycles of a
// multiprocessor.
struct WeightCosts {
  double products = 96;               // cycles that a warpgroup takes for the products of a step
  double barrier = 300;               // cycles of a line in addition to its products or copies
  double block = 6000;                // cycles that a block takes for its beginning and its end
  double bytes_per_cycle = 28;        // bytes that a multiprocessor gets from the L2 cache per
                                      // cycle
  double sum_bytes_per_cycle = 1200;  // bytes of partials that all multiprocessors together write
                                      // and read per cycle
  double copy = 0.12;                 // cycles that one copy instruction takes
  // The factor by which copies take longer if shared memory holds only two lines of inputs.
  double shallow = 1.1;
};

// Constants for forward and backward-data of pointwise convolutions. Times are in cycles of a
// multiprocessor.
struct PointwiseCosts {
  // The number of multiply-adds of TF32 operands that a multiprocessor computes per cycle. This is
  // the peak of compute capability 9.0.
  double products_per_cycle = 1024;
  double bytes_per_cycle = 28;  // bytes that a multiprocessor gets from the L2 cache per cycle
  double chunk = 50;            // cycles of a chunk in addition to its products or copies
  double store = 0.1;           // cycles that a block takes to store one sum
  double around = 1000;         // cycles that a tile takes for its beginning and its end
};

// Constants for backward-weight of pointwise convolutions. Times are in cycles of a multiprocessor.
struct PointwiseWeightCosts {
  // The number of multiply-adds of 16-bit operands that a multiprocessor computes per cycle. This
  // is the peak of compute capability 9.0.
  double products_per_cycle = 2048;
  double bytes_per_cycle = 28;  // bytes that a multiprocessor gets from the L2 cache per
                                // cycle
  double chunk = 50;            // cycles of a chunk in addition to its products or copies
  // The cycles that one copy of 4 or 8 bytes takes. Threads make such copies if tensor maps cannot
  // be used.
  double copy = 0.15;
  double block = 4000;                // cycles that a block takes for its beginning and its end
  double sum_bytes_per_cycle = 1000;  // bytes of partials that all multiprocessors together write
                                      // and add per cycle
};

}  // namespace atc::dense
