#include "engines/rewrite/move/layouts.hpp"

namespace atc::rewrite {

Divider divider(std::int64_t divisor) {
  Divider by;
  by.divisor = static_cast<unsigned>(divisor);
  while ((std::uint64_t{1} << by.shift) < static_cast<std::uint64_t>(divisor)) ++by.shift;
  const std::uint64_t power = std::uint64_t{1} << by.shift;
  by.multiplier =
      static_cast<unsigned>((power - by.divisor) * (std::uint64_t{1} << 32) / by.divisor + 1);
  return by;
}

UnitsDim units_dim(const MoveDim& dim) {
  UnitsDim out;
  out.extent = divider(dim.extent);
  out.inside = static_cast<unsigned>(dim.inside);
  out.step = divider(dim.step);
  out.source = dim.source;
  out.target = dim.target;
  return out;
}

MoveLaunch launch_at(const Layouts& layouts) {
  MoveLaunch launch;
  launch.source_offset = static_cast<std::uint64_t>(layouts.move.source_offset * layouts.width);
  launch.target_offset = static_cast<std::uint64_t>(layouts.move.target_offset * layouts.width);
  return launch;
}

}  // namespace atc::rewrite
