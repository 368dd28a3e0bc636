#include "engines/winograd/exact_tile.hpp"

#include <algorithm>

namespace atc::winograd {

namespace {

float sum_of(const Plane& in, const Filters& filters, std::int64_t filter, std::int64_t row,
             std::int64_t column) {
  float sum = 0;
  for (std::int64_t channel = 0; channel < in.channels; ++channel)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        const std::int64_t r = row + i, c = column + j;
        if (r < 0 || r >= in.rows || c < 0 || c >= in.columns) continue;
        sum += in.data[channel * in.channel + r * in.row + c * in.column] *
               filters.data[filter * filters.filter + channel * filters.channel + i * filters.row +
                            j * filters.column];
      }
  return sum;
}

}  // namespace

void compute_directly(const Geometry& geometry, int m, const Plane& in, const Plane& out,
                      const Filters& filters, std::int64_t row, std::int64_t column,
                      std::int64_t first, std::int64_t count, const Finish& finish) {
  const std::int64_t last = std::min(first + count, out.channels);
  for (std::int64_t k = first; k < last; ++k)
    for (std::int64_t r = row; r < std::min(row + m, out.rows); ++r)
      for (std::int64_t c = column; c < std::min(column + m, out.columns); ++c) {
        float sum = sum_of(in, filters, k, r - geometry.pad_row, c - geometry.pad_column);
        if (finish.bias != nullptr) sum += finish.bias[k];
        if (finish.relu) sum = std::max(sum, 0.0F);
        out.data[k * out.channel + r * out.row + c * out.column] = sum;
      }
}

}  // namespace atc::winograd
