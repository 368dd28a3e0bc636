// Describes each convolution as one with three spatial dimensions. If a problem has fewer, leading
// dimensions with the extent 1 are added. So the reference engine needs only loops over three
// dimensions.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/problem.hpp"

namespace atc::reference {

// At one tap (an element of the filter's window), some outputs along a dimension read input and the
// others read padding. This is the range of those that read input: outputs `begin` to `end` - 1.
// Output o reads the input o * stride + shift.
struct TapRange {
  std::int64_t begin = 0, end = 0, shift = 0;
};

struct Geometry {
  explicit Geometry(const Problem& problem);

  // group_in, group_out: the numbers of channels of a group.
  std::int64_t batch, groups, group_in, group_out;
  std::array<std::int64_t, 3> in, out, kernel, stride, dilation, pad;

  std::int64_t in_plane() const { return in[0] * in[1] * in[2]; }
  std::int64_t out_plane() const { return out[0] * out[1] * out[2]; }
  std::int64_t taps() const { return kernel[0] * kernel[1] * kernel[2]; }

  // ranges[dim][tap] is the range of a tap along the dimension `dim`.
  std::array<std::vector<TapRange>, 3> ranges;
};

// Returns the strides of an operand in elements: two for the outer dimensions, then three for the
// spatial dimensions.
std::array<std::int64_t, 5> strides_of(const Tensor& tensor);

}  // namespace atc::reference
