#include "shapes.hpp"

#include <cstdlib>
#include <random>

namespace {

bool is_inside(std::int64_t kind, std::int64_t row, std::int64_t column, std::int64_t radius) {
  if (std::abs(row) > radius || std::abs(column) > radius) return false;
  switch (kind) {
    case 0:
      return std::abs(row) == radius || std::abs(column) == radius;
    case 1:
      return row == column || row == -column;
    case 2:
      return row % 2 == 0;
    default:
      return column % 2 == 0;
  }
}

}  // namespace

Batch draw_shapes(std::int64_t count, std::int64_t side, std::uint64_t seed) {
  std::mt19937 random(static_cast<std::mt19937::result_type>(seed));
  const auto below = [&](std::int64_t end) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(end));
  };
  Batch batch{torch::empty({count, 1, side, side}), torch::empty({count}, torch::kLong)};
  auto* const pixels = batch.pictures.data_ptr<float>();
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t kind = below(kKinds), radius = 4 + below(side / 2 - 6);
    const std::int64_t middle_row = radius + below(side - 2 * radius);
    const std::int64_t middle_column = radius + below(side - 2 * radius);
    batch.kinds.data_ptr<std::int64_t>()[i] = kind;
    for (std::int64_t row = 0; row < side; ++row)
      for (std::int64_t column = 0; column < side; ++column) {
        const bool ink = is_inside(kind, row - middle_row, column - middle_column, radius);
        const float noise = static_cast<float>(below(1000)) / 1000.0F - 0.5F;
        pixels[(i * side + row) * side + column] = (ink ? 1.0F : 0.0F) + noise;
      }
  }
  return batch;
}
