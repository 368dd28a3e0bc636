#include "engines/rewrite/move/plan.hpp"

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <optional>
#include <utility>

#include "engines/rewrite/move/layouts.hpp"
#include "engines/rewrite/move/tiles.hpp"

namespace atc::rewrite {

namespace {

static_assert(kMoveDims == kMoveRank);

// The largest number of elements that one launch of a kernel moves.
constexpr std::int64_t kMostElements = std::int64_t{1} << 30;
// Contiguous runs of at least this number of bytes are copied 8 or 16 bytes at a time.
constexpr std::int64_t kLongRun = 24;

// Returns the largest power of two that is at most `most` and divides all of `numbers`. `most` must
// be a power of two.
std::int64_t common_power(std::int64_t most, std::initializer_list<std::int64_t> numbers) {
  for (const std::int64_t number : numbers)
    while (number % most != 0) most /= 2;
  return most;
}

// A run is a sequence of `length` units that are contiguous in the source (if `of_source`) or in
// the target. Returns how many units one memory access can have at most, if each access must be
// aligned and must not cross the end of a run. `others` are all dimensions of the move except that
// of the run.
std::int64_t access(const Layouts& layouts, bool of_source, std::int64_t length,
                    const Dims& others) {
  const std::int64_t alignment = of_source ? layouts.source_alignment : layouts.target_alignment;
  std::int64_t units = kWidestAccess / layouts.width;
  while (units > 1 && alignment % (units * layouts.width) != 0) units /= 2;
  units = common_power(
      units, {of_source ? layouts.move.source_offset : layouts.move.target_offset, length});
  for (const MoveDim& dim : others)
    units = common_power(units, {of_source ? dim.source : dim.target});
  return units;
}

// Returns how many neighbouring units of the target can be copied as one unit.
std::int64_t joint_units(const Layouts& layouts) {
  if (layouts.move.dims.empty()) return 1;
  const MoveDim& last = layouts.move.dims.back();
  if (last.target != 1 || last.step != 1) return 1;
  const Dims others(layouts.move.dims.begin(), layouts.move.dims.end() - 1);
  const std::int64_t stored = access(layouts, false, last.extent, others);
  if (layouts.move.zero) return stored;
  if (last.source != 1) return 1;
  return std::min(stored, access(layouts, true, last.inside, others));
}

// Returns the same move with larger units: `times` units become one unit.
Layouts widened(Layouts layouts, std::int64_t times) {
  if (times == 1) return layouts;
  PlainMove& move = layouts.move;
  move.source_offset /= times;
  move.target_offset /= times;
  for (MoveDim& dim : move.dims) {
    if (&dim == &move.dims.back()) break;
    dim.source /= times;
    dim.target /= times;
  }
  move.dims.back().extent /= times;
  move.dims.back().inside /= times;
  if (move.dims.back().extent == 1) move.dims.pop_back();
  layouts.width *= static_cast<int>(times);
  return layouts;
}

MoveLaunch by_units(const Layouts& layouts) {
  UnitsMove move;
  move.zero = layouts.move.zero;
  move.plain = 1;
  std::int64_t units = 1, source_span = 0, target_span = 0;
  for (const MoveDim& dim : layouts.move.dims) {
    move.dims[move.rank++] = units_dim(dim);
    units *= dim.extent;
    source_span += dim.extent * dim.source;
    target_span += dim.extent * dim.target;
    if (dim.step != 1 || dim.inside != dim.extent) move.plain = 0;
  }
  if (std::max(source_span, target_span) > std::numeric_limits<std::uint32_t>::max())
    move.plain = 0;
  move.units = static_cast<unsigned>(units);
  MoveLaunch launch = launch_at(layouts);
  const auto bytes = static_cast<unsigned>(layouts.width);
  launch.kernel = bytes == 16  ? "atc_move_units_16"
                  : bytes == 8 ? "atc_move_units_8"
                  : bytes == 4 ? "atc_move_units_4"
                               : "atc_move_units_2";
  const unsigned of_block = kMoveThreads * units_of_thread(bytes);
  launch.blocks = (move.units + of_block - 1) / of_block;
  launch.parameters = move;
  return launch;
}

// Returns a launch of the kernel that writes 8 or 16 bytes at a time, but reads one element at a
// time. Returns nullopt if the target does not allow such writes.
std::optional<MoveLaunch> by_wide_rows(const Layouts& layouts) {
  if (layouts.move.zero || layouts.move.dims.empty() || layouts.width > 4) return std::nullopt;
  const MoveDim& last = layouts.move.dims.back();
  if (last.target != 1) return std::nullopt;
  const Dims others(layouts.move.dims.begin(), layouts.move.dims.end() - 1);
  const std::int64_t length = access(layouts, false, last.extent, others);
  if (length < 4) return std::nullopt;
  WideMove move;
  std::int64_t pieces = 1;
  for (const MoveDim& dim : layouts.move.dims) {
    move.dims[move.rank++] = units_dim(dim);
    pieces *= dim.extent;
  }
  move.pieces = divider(last.extent / length);
  move.all_pieces = static_cast<unsigned>(pieces / length);
  MoveLaunch launch = launch_at(layouts);
  launch.kernel = layouts.width == 4 ? "atc_move_wide_4_4"
                  : length == 8      ? "atc_move_wide_2_8"
                                     : "atc_move_wide_2_4";
  const unsigned of_block = kMoveThreads * pieces_of_thread(static_cast<unsigned>(length));
  launch.blocks = (move.all_pieces + of_block - 1) / of_block;
  launch.parameters = move;
  return launch;
}

// Returns whether the move can copy long contiguous runs by accesses of 8 or 16 bytes.
bool has_long_runs(const Layouts& wide) {
  const PlainMove& move = wide.move;
  if (wide.width == kWidestAccess || move.dims.empty()) return true;
  if (std::int64_t{2} * wide.width != kWidestAccess) return false;
  const MoveDim& last = move.dims.back();
  return last.source == 1 && last.target == 1 && last.extent * wide.width >= kLongRun;
}

// Chooses the kernel for a move. First, units that are contiguous in source and target are joined
// to one larger unit. If the units remain short, the move may be a transposition of such units, for
// which there is a fast kernel (by_tiles()).
MoveLaunch by_any(const Layouts& layouts) {
  const std::int64_t joint = joint_units(layouts);
  const Layouts wide = widened(layouts, joint);
  if (!has_long_runs(wide))
    if (const auto tiles = by_tiles(wide)) return *tiles;
  if (joint == 1)
    if (const auto rows = by_wide_rows(layouts)) return *rows;
  return by_units(wide);
}

// Divides a move into halves until each part has at most kMostElements elements.
void split(const Layouts& layouts, std::vector<MoveLaunch>& launches) {
  std::int64_t elements = 1;
  for (const MoveDim& dim : layouts.move.dims) elements *= dim.extent;
  if (elements == 0) return;
  if (elements <= kMostElements) {
    launches.push_back(by_any(layouts));
    return;
  }
  Layouts first = layouts, second = layouts;
  // The number of the dimension that is divided: the one with the most indices in the source or,
  // among equal ones, the one with the largest extent.
  const auto widest =
      static_cast<std::size_t>(std::max_element(layouts.move.dims.begin(), layouts.move.dims.end(),
                                                [](const MoveDim& p, const MoveDim& q) {
                                                  return std::pair(p.extent / p.step, p.extent) <
                                                         std::pair(q.extent / q.step, q.extent);
                                                }) -
                               layouts.move.dims.begin());
  const MoveDim& whole = layouts.move.dims[widest];
  // If possible, the second half begins at a multiple of `grain`. Then the first element of this
  // half has a counterpart in the source, and accesses remain aligned. If the dimension is too
  // short for such a multiple, the second half begins after one step. If the extent is at most one
  // step, the dimension is divided in the middle, and the second half has no elements of the
  // source.
  const std::int64_t grain = whole.step * (whole.extent / whole.step >= 128 ? 64 : 1);
  std::int64_t half = whole.extent / 2 / grain * grain;
  if (half == 0) half = whole.extent > whole.step ? whole.step : whole.extent / 2;
  const std::int64_t from = (half + whole.step - 1) / whole.step;
  MoveDim& low = first.move.dims[widest];
  MoveDim& high = second.move.dims[widest];
  low.extent = half;
  low.inside = std::min(whole.inside, from);
  high.extent = whole.extent - half;
  high.inside = std::max<std::int64_t>(whole.inside - from, 0);
  second.move.source_offset += from * whole.source;
  second.move.target_offset += half * whole.target;
  second.move.zero = second.move.zero || high.inside == 0;
  split(first, launches);
  split(second, launches);
}

}  // namespace

std::vector<MoveLaunch> plan(const Move& move, int width, std::size_t source_alignment,
                             std::size_t target_alignment) {
  std::vector<MoveLaunch> launches;
  split({simplified(move), width, static_cast<std::int64_t>(source_alignment),
         static_cast<std::int64_t>(target_alignment)},
        launches);
  return launches;
}

}  // namespace atc::rewrite
