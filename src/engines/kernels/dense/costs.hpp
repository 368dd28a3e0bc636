// Constants of the estimates of time by which configurations of the dense kernels are ordered.
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
  double bytes_per_cycle = 28;        // of a multiprocessor, from the L2 cache
  double load = 450;                  // of a thread, for one of its loads of a chunk
  double around = 4000;               // beginning and end of a tile
  double sum = 5000;                  // the launch that adds parts
  double sum_bytes_per_cycle = 1000;  // of parts that are added, of all multiprocessors
  double strip = 0.002;               // of the time, for each strip of an image
};

// Backward-weight; 2026-11-22. In cycles of a multiprocessor.
struct WeightCosts {
  double products = 96;               // of a warpgroup, in a step
  double barrier = 300;               // from one line to the next
  double block = 6000;                // beginning and end of a block
  double bytes_per_cycle = 28;        // of a multiprocessor, from the L2 cache
  double sum_bytes_per_cycle = 1200;  // of parts that are written and added, of all multiprocessors
  double copy = 0.12;                 // of one copy
  double shallow = 1.1;               // factor of copies if two lines are in shared memory
};

}  // namespace atc::dense
