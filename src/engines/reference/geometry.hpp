// A convolution with three spatial dimensions. A problem with fewer dimensions gets leading ones of
// extent 1, so that each loop nest of the reference is written only once.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/problem.hpp"

namespace atc::reference {

// In one dimension: the outputs that read input, not padding, at one tap. Output o in [begin, end)
// reads input o * stride + shift.
struct TapRange {
  std::int64_t begin = 0, end = 0, shift = 0;
};

struct Geometry {
  explicit Geometry(const Problem& problem);

  std::int64_t batch, groups, group_in, group_out;  // group_*: channels per group
  std::array<std::int64_t, 3> in, out, kernel, stride, dilation, pad;

  std::int64_t in_plane() const { return in[0] * in[1] * in[2]; }
  std::int64_t out_plane() const { return out[0] * out[1] * out[2]; }
  std::int64_t taps() const { return kernel[0] * kernel[1] * kernel[2]; }

  // For each dimension, one entry for each tap.
  std::array<std::vector<TapRange>, 3> ranges;
};

// The strides of an operand in the same form: two outer dimensions, then three spatial ones.
std::array<std::int64_t, 5> strides_of(const Tensor& tensor);

}  // namespace atc::reference
