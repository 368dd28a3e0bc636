// The extents of a problem with one or two spatial dimensions, in the form that the kernels for
// images use: rows and columns.
#pragma once

#include <cstdint>

#include "core/problem.hpp"

namespace atc::kernels {

inline int ceil_div(std::int64_t value, std::int64_t by) {
  return static_cast<int>((value + by - 1) / by);
}

inline bool all_channels_first(const Problem& p) {
  return p.x.channels_first() && p.y.channels_first();
}
inline bool all_channels_last(const Problem& p) {
  return p.x.channels_last() && p.y.channels_last();
}

struct Dimension {
  int in = 1, out = 1, taps = 1, stride = 1, dilation = 1, pad = 0;
};

// Returns the extents of one dimension: `d` is 0 for rows and 1 for columns. If the problem has one
// spatial dimension, that dimension is the columns, and there is one row. All extents must fit into
// an int.
Dimension dimension(const Problem& p, int d);

}  // namespace atc::kernels
