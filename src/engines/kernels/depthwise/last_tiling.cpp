#include "engines/kernels/depthwise/last_tiling.hpp"

#include <cstdint>

namespace atc::depthwise {

void share_out(int vector, int multiple, const Geometry& g, LastTiling& tiling) {
  tiling.vectors = static_cast<int>(g.out_channels) / vector;
  tiling.chunks = ceil_div(tiling.vectors, kWarp);
  tiling.lanes = ceil_div(ceil_div(tiling.vectors, tiling.chunks), multiple) * multiple;
  tiling.lines = kLastThreads / tiling.lanes;
}

bool cut_bands(const Geometry& g, int all, int rows, Plan& plan) {
  LastTiling& tiling = plan.last;
  tiling.band_steps = rows;
  tiling.bands = ceil_div(all, rows);
  const std::int64_t positions = g.batch * g.out[0] * tiling.strips * tiling.bands;
  const std::int64_t blocks = ceil_div<std::int64_t>(positions, tiling.lines) * tiling.chunks;
  if (blocks > kMostBlocks || positions > kMostBlocks) return false;
  tiling.positions = static_cast<unsigned>(positions);
  plan.launch.blocks.x = static_cast<unsigned>(blocks);
  return true;
}

}  // namespace atc::depthwise
