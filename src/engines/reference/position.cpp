#include "engines/reference/position.hpp"

#include <algorithm>
#include <cmath>

#include "core/half.hpp"
#include "engines/reference/geometry.hpp"

namespace atc::reference {

namespace {

struct Sum : ElementValue {
  void add(double term) {
    value += term;
    magnitude += std::fabs(term);
    energy += term * term;
  }
};

// Reads an operand by two outer indices and a spatial position.
class Reader {
 public:
  Reader(const Tensor& tensor, const void* data)
      : data_(data), dtype_(tensor.dtype), strides_(strides_of(tensor)) {}
  double operator()(std::int64_t a, std::int64_t b, const std::array<std::int64_t, 3>& s) const {
    return load_element(data_, dtype_,
                        a * strides_[0] + b * strides_[1] + s[0] * strides_[2] +
                            s[1] * strides_[3] + s[2] * strides_[4]);
  }

 private:
  const void* data_;
  Dtype dtype_;
  std::array<std::int64_t, 5> strides_;
};

template <typename F>
void for_each(const std::array<std::int64_t, 3>& extents, F&& f) {
  std::array<std::int64_t, 3> i;
  for (i[0] = 0; i[0] < extents[0]; ++i[0])
    for (i[1] = 0; i[1] < extents[1]; ++i[1])
      for (i[2] = 0; i[2] < extents[2]; ++i[2]) f(i);
}

using Spatial = std::array<std::int64_t, 3>;

// The input position that output `o` reads at tap `t`; false where that is padding.
bool input_of(const Geometry& g, const Spatial& o, const Spatial& t, Spatial& i) {
  for (int d = 0; d < 3; ++d) {
    i[d] = o[d] * g.stride[d] + t[d] * g.dilation[d] - g.pad[d];
    if (i[d] < 0 || i[d] >= g.in[d]) return false;
  }
  return true;
}

// The output position that reads input `i` at tap `t`; false where there is none.
bool output_of(const Geometry& g, const Spatial& i, const Spatial& t, Spatial& o) {
  for (int d = 0; d < 3; ++d) {
    const std::int64_t scaled = i[d] + g.pad[d] - t[d] * g.dilation[d];
    if (scaled < 0 || scaled % g.stride[d] != 0) return false;
    o[d] = scaled / g.stride[d];
    if (o[d] >= g.out[d]) return false;
  }
  return true;
}

}  // namespace

ElementValue value_at(const Problem& problem, const Operands& operands, const Index& index) {
  const Geometry g(problem);
  const Reader x(problem.x, operands.x), w(problem.w, operands.w), y(problem.y, operands.y);
  Spatial at{};
  for (int i = 0; i < problem.spatial; ++i) at[3 - problem.spatial + i] = index[2 + i];
  Sum sum;
  Spatial other;
  switch (problem.direction) {
    case Direction::forward: {
      const std::int64_t first = index[1] / g.group_out * g.group_in;
      for_each(g.kernel, [&](const Spatial& t) {
        if (!input_of(g, at, t, other)) return;
        for (std::int64_t c = 0; c < g.group_in; ++c)
          sum.add(x(index[0], first + c, other) * w(index[1], c, t));
      });
      break;
    }
    case Direction::backward_data: {
      const std::int64_t group = index[1] / g.group_in, c = index[1] % g.group_in;
      for_each(g.kernel, [&](const Spatial& t) {
        if (!output_of(g, at, t, other)) return;
        for (std::int64_t k = group * g.group_out; k < (group + 1) * g.group_out; ++k)
          sum.add(y(index[0], k, other) * w(k, c, t));
      });
      break;
    }
    case Direction::backward_weight: {
      const std::int64_t c = index[0] / g.group_out * g.group_in + index[1];
      for (std::int64_t n = 0; n < g.batch; ++n)
        for_each(g.out, [&](const Spatial& o) {
          if (input_of(g, o, at, other)) sum.add(x(n, c, other) * y(n, index[0], o));
        });
      break;
    }
  }
  const Dtype dtype = problem.output().dtype;
  sum.fresh = std::fabs(sum.value);
  if (problem.epilogue != Epilogue::none) sum.add(load_element(operands.bias, dtype, index[1]));
  sum.fresh = std::max(sum.fresh, std::fabs(sum.value));
  if (problem.accumulate) {
    sum.add(Reader(problem.output(), atc::output_of(problem, operands))(index[0], index[1], at));
  }
  if (problem.epilogue == Epilogue::bias_relu) sum.value = std::max(sum.value, 0.0);
  return sum;
}

}  // namespace atc::reference
