#include "core/unreached.hpp"

#include <algorithm>
#include <cstdint>

namespace atc {

namespace {

// At each end of a dimension this number of elements is examined. The elements between both ends
// need not be examined: there, the pattern of elements that windows reach repeats with the stride.
constexpr std::int64_t kLookedAt = 4096;

// Whether a window along the dimension contains element `i` of x.
bool is_reached(const Problem& problem, int dim, std::int64_t i) {
  const std::int64_t stride = problem.stride[dim], dilation = problem.dilation[dim];
  // The distance from the first tap of the first window to element `i`.
  const std::int64_t place = i + problem.pad_low[dim];
  // The tap with the number `tap` of a window reaches element `i` if the window begins at `place` -
  // tap * dilation. If `tap` is below `first`, this is behind the beginning of the last window. So
  // taps below `first` reach the element in no window.
  const std::int64_t late = place - (problem.out(dim) - 1) * stride;
  const std::int64_t first = late > 0 ? (late + dilation - 1) / dilation : 0;
  // `begins` is the beginning of the window whose tap `tap` reaches element `i`. There is such a
  // window if `begins` is divisible by the stride. The remainders repeat after at most `stride`
  // taps, so no more taps are examined.
  const std::int64_t taps = std::min({problem.kernel(dim), first + stride, first + kLookedAt});
  for (std::int64_t tap = first; tap < taps; ++tap) {
    const std::int64_t begins = place - tap * dilation;
    if (begins < 0) return false;  // For all later taps the window would begin before 0, too.
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
