// A loop over the elements of a strided tensor.
#pragma once

#include <array>
#include <cstdint>

#include "core/problem.hpp"

namespace atc {

// Calls f(logical, offset) for each element in logical order (the last dimension is the fastest).
// `logical` is the number of the element, from 0. `offset` is the distance of the element from the
// tensor's address, in elements.
template <typename F>
void for_each_offset(const Tensor& tensor, F&& f) {
  const int last = tensor.rank - 1;
  if (last < 0 || tensor.elements() == 0) return;
  std::array<std::int64_t, kMaxRank> index{};
  const std::int64_t width = tensor.shape[last], step = tensor.strides[last];
  std::int64_t logical = 0, row = 0;
  for (;;) {
    for (std::int64_t i = 0; i < width; ++i) f(logical++, row + i * step);
    int dim = last - 1;
    for (; dim >= 0; --dim) {
      row += tensor.strides[dim];
      if (++index[dim] < tensor.shape[dim]) break;
      row -= tensor.shape[dim] * tensor.strides[dim];
      index[dim] = 0;
    }
    if (dim < 0) return;
  }
}

}  // namespace atc
