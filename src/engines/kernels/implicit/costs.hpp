// Constants of the time estimates by which configurations of the wgmma kernels are ordered.
//
// Origin, if a comment does not name another: set by hand on 2026-11-23, while these kernels were
// developed. The card was an NVIDIA H200 (132 multiprocessors). The measured times were not kept.
// bench/fit_costs fits the constants to new times.
#pragma once

namespace atc::implicit {

// Forward and backward-data. In cycles of a multiprocessor.
struct RasterCosts {
  // Multiplications and additions of 16 bits: the peak of compute capability 9.0.
  double products_per_cycle = 2048;
  double bytes_per_cycle = 28;        // bytes of filters that a multiprocessor gets from the L2
                                      // cache per cycle
  double input_bytes_per_cycle = 14;  // of a tile's input
  double around = 3500;               // cycles that a block takes for its beginning and its end
  double beside = 0.5;                // the part of a block's loads that the work of other blocks
                                      // does not hide
};

// Backward-weight. In cycles of a multiprocessor.
struct RasterGradientCosts {
  double products_per_cycle = 2048;  // as above
  double bytes_per_cycle = 24;       // bytes of a tile's input and outputs that a multiprocessor
                                     // gets from the L2 cache per cycle
  double around = 900;               // cycles between two tiles
  double block = 6000;               // cycles that a block takes for its beginning and its end
  double parts_per_cycle = 1200;     // bytes of partial sums that all multiprocessors together move
                                     // per cycle
};

}  // namespace atc::implicit
