#include "support/problems.hpp"
#include "core/format.hpp"

namespace atc::test {

namespace {

std::int64_t out_extent(const Spec& s, int dim) {
  const std::int64_t reach = s.dilation[dim] * (s.kernel[dim] - 1) + 1;
  const std::int64_t room = s.in[dim] + s.pad_low[dim] + s.pad_high[dim] - reach;
  return room < 0 ? 0 : room / s.stride[dim] + 1;
}

}  // namespace

Tensor make_tensor(Dtype dtype, int rank, const std::array<std::int64_t, kMaxRank>& shape,
                   Memory memory) {
  Tensor tensor;
  tensor.dtype = dtype;
  tensor.rank = rank;
  tensor.shape = shape;
  const auto place = [&](int dim, std::int64_t& next, std::int64_t gap) {
    tensor.strides[dim] = next;
    next = next * shape[dim] + gap;
  };
  std::int64_t next = 1;
  if (memory == Memory::last) {
    place(1, next, 0);
    for (int dim = rank - 1; dim >= 2; --dim) place(dim, next, 0);
    place(0, next, 0);
    return tensor;
  }
  const bool gaps = memory == Memory::strided;
  if (gaps) next = 2;  // an element stride of 2 leaves a gap behind each element
  for (int dim = rank - 1; dim >= 0; --dim) place(dim, next, gaps ? 3 : 0);
  return tensor;
}

bool is_possible(const Spec& spec) {
  for (int dim = 0; dim < spec.spatial; ++dim)
    if (out_extent(spec, dim) < 1) return false;
  return true;
}

Problem build(const Spec& s) {
  Problem p;
  p.direction = s.direction;
  p.spatial = s.spatial;
  p.groups = s.groups;
  std::array<std::int64_t, kMaxRank> x{s.batch, s.channels_in}, y{s.batch, s.channels_out},
      w{s.channels_out, s.channels_in / s.groups};
  for (int dim = 0; dim < s.spatial; ++dim) {
    p.stride[dim] = s.stride[dim];
    p.dilation[dim] = s.dilation[dim];
    p.pad_low[dim] = s.pad_low[dim];
    p.pad_high[dim] = s.pad_high[dim];
    x[2 + dim] = s.in[dim];
    w[2 + dim] = s.kernel[dim];
    y[2 + dim] = out_extent(s, dim);
  }
  const int rank = s.spatial + 2;
  p.x = make_tensor(s.x, rank, x, s.x_memory);
  p.w = make_tensor(s.w, rank, w, s.w_memory);
  p.y = make_tensor(s.y, rank, y, s.y_memory);
  p.epilogue = s.epilogue;
  p.accumulate = s.accumulate;
  p.post_ops = s.post_ops;
  return p;
}

std::string label(const Problem& problem) {
  const auto strides = [](const Tensor& t) {
    return atc::joined(t.strides.begin(), t.strides.begin() + t.rank, ",");
  };
  return atc::format("{} [strides x {} w {} y {}]", describe(problem), strides(problem.x),
                     strides(problem.w), strides(problem.y));
}

}  // namespace atc::test
