// Constants of the time estimates by which configurations of the dense kernels are ordered.
//
// Origin, if a comment does not name another: set by hand while these kernels were developed. The
// card was an NVIDIA H200 (132 multiprocessors). The measured times were not kept. bench/fit_costs
// fits the constants to new times.
#pragma once

namespace atc::dense {

// Forward and backward-data; 2026-11-23. In cycles of a multiprocessor.
struct Costs {
  // Multiplications and additions of 16 bits: the peak of compute capability 9.0.
  double products_per_cycle = 2048;
  double bytes_per_cycle = 28;        // bytes that a multiprocessor gets from the L2 cache per
                                      // cycle
  double load = 450;                  // cycles that a thread takes for one load of a chunk
  double around = 4000;               // cycles that a tile takes for its beginning and its end
  double sum = 5000;                  // the launch that adds parts
  double sum_bytes_per_cycle = 1000;  // bytes of partial sums that all multiprocessors together add
                                      // per cycle
  double strip = 0.002;               // fraction by which each strip of an image makes the time
                                      // longer
};

// Backward-weight; 2026-11-22. In cycles of a multiprocessor.
struct WeightCosts {
  double products = 96;               // cycles of a warpgroup in a step
  double barrier = 300;               // cycles between two lines
  double block = 6000;                // cycles that a block takes for its beginning and its end
  double bytes_per_cycle = 28;        // bytes that a multiprocessor gets from the L2 cache per
                                      // cycle
  double sum_bytes_per_cycle = 1200;  // bytes of partial sums that all multiprocessors together
                                      // write and add per cycle
  double copy = 0.12;                 // of one copy
  double shallow = 1.1;               // factor on the time of copies if shared memory holds only
                                      // two lines
};

// Forward and backward-data of pointwise convolutions. In cycles of a multiprocessor.
struct PointwiseCosts {
  // Multiplications and additions of TF32: the peak of compute capability 9.0.
  double products_per_cycle = 1024;
  double bytes_per_cycle = 28;  // bytes of a multiprocessor from the L2 cache
  double chunk = 50;            // cycles from one chunk to the next
  double store = 0.1;           // cycles for storing one sum
  double around = 1000;         // cycles for the beginning and the end of a tile
};

// Backward-weight of pointwise convolutions. In cycles of a multiprocessor.
struct PointwiseWeightCosts {
  // Multiplications and additions of 16 bits: the peak of compute capability 9.0.
  double products_per_cycle = 2048;
  double bytes_per_cycle = 28;        // bytes of a multiprocessor from the L2 cache
  double chunk = 50;                  // cycles from one chunk to the next
  double copy = 0.15;                 // cycles of a plain copy (of 4 or 8 bytes)
  double block = 4000;                // cycles for the beginning and the end of a block
  double sum_bytes_per_cycle = 1000;  // bytes of partials that all multiprocessors write and add
};

}  // namespace atc::dense
