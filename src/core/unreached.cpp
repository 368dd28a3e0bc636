#include "core/unreached.hpp"

#include <algorithm>
#include <cstdint>

namespace atc {

namespace {

// The number of elements at each end of a dimension that are examined one by one. Between these,
// the pattern of windows repeats with the stride.
constexpr std::int64_t kLookedAt = 4096;

// Whether a window of the dimension reads element `i` of x.
bool is_reached(const Problem& problem, int dim, std::int64_t i) {
  const std::int64_t stride = problem.stride[dim], dilation = problem.dilation[dim];
  const std::int64_t place =
      i + problem.pad_low[dim];  // distance from the first tap of the first window to element `i`
  // Element `i` cannot be reached by a tap before `first`: the window would have to begin after the
  // last window.
  const std::int64_t late = place - (problem.out(dim) - 1) * stride;
  const std::int64_t first = late > 0 ? (late + dilation - 1) / dilation : 0;
  // The offsets repeat after as many taps as the stride, so further taps need not be looked at.
  const std::int64_t taps = std::min({problem.kernel(dim), first + stride, first + kLookedAt});
  for (std::int64_t tap = first; tap < taps; ++tap) {
    const std::int64_t begins = place - tap * dilation;
    if (begins < 0)
      return false;  // a window that reaches `i` by a later tap would begin even
                     // earlier
    if (begins % stride == 0) return true;
  }
  return false;
}

}  // namespace

bool has_unreached_elements(const Problem& problem, int dim) {
  const std::int64_t extent = problem.in(dim);
  for (std::int64_t i = 0; i < extent; ++i) {
    if (i == kLookedAt && extent > 2 * kLookedAt) i = extent - kLookedAt;
    if (!is_reached(problem, dim, i)) return true;
  }
  return false;
}

bool has_unreached_elements(const Problem& problem) {
  for (int dim = 0; dim < problem.spatial; ++dim)
    if (has_unreached_elements(problem, dim)) return true;
  return false;
}

}  // namespace atc
