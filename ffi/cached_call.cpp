#include "cached_call.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "convert.hpp"

namespace atc::ffi {

atc_conv_problem comparable_problem(const atc_conv_problem* given) {
  auto p = read_struct(given, "problem");
  // An invalid number of spatial dimensions is not refused here, but later by to_problem.
  if (p.spatial_dims < 1 || p.spatial_dims > kMaxSpatial) return p;
  for (int i = p.spatial_dims; i < kMaxSpatial; ++i)
    p.input[i] = p.kernel[i] = p.stride[i] = p.dilation[i] = p.padding_low[i] = p.padding_high[i] =
        p.output_padding[i] = 0;
  for (int i = p.layout == ATC_LAYOUT_STRIDED ? p.spatial_dims + 2 : 0; i < kMaxRank; ++i)
    p.x_strides[i] = p.w_strides[i] = p.y_strides[i] = 0;
  return p;
}

atc_conv_options comparable_options(const atc_conv_options* given) {
  atc_conv_options options = read_plan_options(given);
  // The cache of plans compares all bytes of this struct. The bytes of the array `front_end` after
  // the end of its text have no meaning, so they are set to zero.
  char(&name)[64] = options.front_end;
  std::fill(name + strnlen(name, sizeof(name)), std::end(name), '\0');
  return options;
}

}  // namespace atc::ffi
