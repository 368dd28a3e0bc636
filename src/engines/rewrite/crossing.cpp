#include "engines/rewrite/crossing.hpp"

#include <algorithm>

namespace atc::rewrite {

namespace {

// Returns how many indices of the inner operand (that of the rewritten problem) along the dimension
// have a counterpart in the outer operand (that of the problem).
std::int64_t shared_places(const SharedDim& dim) {
  return std::min(dim.inner_extent, (dim.outer_extent + dim.step - 1) / dim.step);
}

// Returns the tensor with dense strides. `order` has the numbers of the dimensions, the dimension
// with the smallest stride first.
Tensor dense(Tensor tensor, const std::array<int, kMaxRank>& order) {
  std::int64_t next = 1;
  for (int i = 0; i < tensor.rank; ++i) {
    const int dim = order[static_cast<std::size_t>(i)];
    tensor.strides[dim] = next;
    next *= tensor.shape[dim];
  }
  return tensor;
}

}  // namespace

std::vector<Move> Crossing::inward() const {
  Move move;
  for (const SharedDim& dim : dims)
    move.dims.push_back(
        {dim.inner_extent, shared_places(dim), 1, dim.outer_stride * dim.step, dim.inner_stride});
  return {move};
}

std::vector<Move> Crossing::outward(bool keep) const {
  Move move;
  for (const SharedDim& dim : dims)
    if (keep)
      move.dims.push_back({shared_places(dim), shared_places(dim), 1, dim.inner_stride,
                           dim.outer_stride * dim.step});
    else
      move.dims.push_back(
          {dim.outer_extent, shared_places(dim), dim.step, dim.inner_stride, dim.outer_stride});
  std::vector<Move> moves{move};
  if (!keep) moves.insert(moves.end(), uncovered.begin(), uncovered.end());
  return moves;
}

Crossing cross(const Tensor& outer, const Tensor& inner, const Extents& steps) {
  Crossing crossing;
  crossing.inner = inner;
  crossing.passed_on = outer.shape == inner.shape;
  for (int i = 0; i < outer.rank; ++i) {
    crossing.passed_on =
        crossing.passed_on && (outer.shape[i] == 1 || outer.strides[i] == inner.strides[i]);
    const std::int64_t step = i < 2 ? 1 : steps[i - 2];
    crossing.dims.push_back(
        {outer.shape[i], outer.strides[i], inner.shape[i], inner.strides[i], step});
  }
  return crossing;
}

const Crossing& Passage::output() const {
  switch (problem.direction) {
    case Direction::backward_data:
      return x;
    case Direction::backward_weight:
      return w;
    case Direction::forward:
      break;
  }
  return y;
}

std::uint64_t Passage::workspace() const {
  std::uint64_t bytes = 0;
  for (const Crossing* crossing : {&x, &w, &y}) bytes += aligned(crossing->intermediate_bytes());
  return bytes;
}

std::uint64_t aligned(std::uint64_t bytes) {
  return (bytes + kIntermediateAlignment - 1) / kIntermediateAlignment * kIntermediateAlignment;
}

Tensor channels_last(Tensor tensor) {
  std::array<int, kMaxRank> order{1};
  int at = 1;
  for (int dim = tensor.rank - 1; dim >= 2; --dim) order[static_cast<std::size_t>(at++)] = dim;
  order[static_cast<std::size_t>(at)] = 0;
  return dense(tensor, order);
}

Tensor channels_first(Tensor tensor) {
  std::array<int, kMaxRank> order{};
  for (int i = 0; i < tensor.rank; ++i) order[static_cast<std::size_t>(i)] = tensor.rank - 1 - i;
  return dense(tensor, order);
}

}  // namespace atc::rewrite
