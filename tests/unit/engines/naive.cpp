#include "naive.hpp"

#include <algorithm>
#include <map>

#include "core/half.hpp"
#include "core/walk.hpp"

namespace atc::test {

namespace {

// Returns the offset of the element with this index, computed from the strides alone.
std::int64_t offset_of(const Tensor& t, const std::vector<std::int64_t>& index) {
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < index.size(); ++i) offset += index[i] * t.strides[i];
  return offset;
}

// Advances `index` to the next index within `extents`. The last dimension changes first. Returns
// false after the last index.
bool next(std::vector<std::int64_t>& index, const std::vector<std::int64_t>& extents) {
  for (std::size_t i = index.size(); i-- > 0;) {
    if (++index[i] < extents[i]) return true;
    index[i] = 0;
  }
  return false;
}

}  // namespace

// Loops over all tuples (n, k, c, o..., t...) of the formula in core/problem.hpp. In every
// direction, each tuple stands for one product, and determines the two factors and the element of
// the output to which the product is added.
std::vector<double> naive(const Problem& p, const Operands& operands) {
  const auto dims = static_cast<std::size_t>(p.spatial);
  std::vector<std::int64_t> extents{p.y.shape[0], p.y.shape[1], p.w.shape[1]};
  for (int i = 0; i < p.spatial; ++i) extents.push_back(p.out(i));
  for (int i = 0; i < p.spatial; ++i) extents.push_back(p.kernel(i));
  // the sum of each element of the output; the key is the element's offset
  std::map<std::int64_t, double> sums;
  std::vector<std::int64_t> tuple(extents.size());
  if (std::count(extents.begin(), extents.end(), 0) == 0) do {
      const std::int64_t n = tuple[0], k = tuple[1], c = tuple[2];
      const std::int64_t group = k * p.groups / p.y.shape[1];
      std::vector<std::int64_t> xi{n, group * p.w.shape[1] + c}, wi{k, c}, yi{n, k};
      bool inside = true;
      for (std::size_t i = 0; i < dims; ++i) {
        const std::int64_t o = tuple[3 + i], t = tuple[3 + dims + i];
        const std::int64_t at = o * p.stride[i] + t * p.dilation[i] - p.pad_low[i];
        inside = inside && at >= 0 && at < p.in(static_cast<int>(i));
        xi.push_back(at);
        wi.push_back(t);
        yi.push_back(o);
      }
      if (!inside) continue;
      const std::int64_t xo = offset_of(p.x, xi), wo = offset_of(p.w, wi), yo = offset_of(p.y, yi);
      const auto x = [&] { return load_element(operands.x, p.x.dtype, xo); };
      const auto w = [&] { return load_element(operands.w, p.w.dtype, wo); };
      const auto y = [&] { return load_element(operands.y, p.y.dtype, yo); };
      switch (p.direction) {
        case Direction::forward:
          sums[yo] += x() * w();
          break;
        case Direction::backward_data:
          sums[xo] += y() * w();
          break;
        case Direction::backward_weight:
          sums[wo] += x() * y();
          break;
      }
    } while (next(tuple, extents));

  const Tensor& output = p.output();
  const void* old = p.direction == Direction::forward         ? operands.y
                    : p.direction == Direction::backward_data ? operands.x
                                                              : operands.w;
  const std::int64_t plane =
      output.shape[1] == 0
          ? 1
          : output.elements() / (std::max<std::int64_t>(1, output.shape[0]) * output.shape[1]);
  std::vector<double> result;
  for_each_offset(output, [&](std::int64_t logical, std::int64_t offset) {
    double value = sums.count(offset) ? sums[offset] : 0.0;
    if (p.epilogue != Epilogue::none)
      value += load_element(operands.bias, output.dtype, logical / plane % output.shape[1]);
    if (p.accumulate) value += load_element(old, output.dtype, offset);
    if (p.epilogue == Epilogue::bias_relu && value < 0) value = 0;
    result.push_back(value);
  });
  return result;
}

}  // namespace atc::test
