#include "engines/rewrite/move/plan.hpp"

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <optional>

namespace atc::rewrite {

namespace {

static_assert(kMoveDims == kMoveRank);

constexpr std::int64_t kMostElements = std::int64_t{1} << 30;  // of a launch
constexpr std::int64_t kWidestAccess = 16;                     // bytes
constexpr double kFullRun = 64;  // bytes: shorter runs of a tile leave parts of sectors unused
// A tile with less of its room in use is slower than single units.
constexpr double kLeastUse = 0.12;

Divider divider(std::int64_t divisor) {
  Divider by;
  by.divisor = static_cast<unsigned>(divisor);
  while ((std::uint64_t{1} << by.shift) < static_cast<std::uint64_t>(divisor)) ++by.shift;
  const std::uint64_t power = std::uint64_t{1} << by.shift;
  by.multiplier =
      static_cast<unsigned>((power - by.divisor) * (std::uint64_t{1} << 32) / by.divisor + 1);
  return by;
}

// The largest power of two up to `most` that divides all.
std::int64_t common_power(std::int64_t most, std::initializer_list<std::int64_t> numbers) {
  for (const std::int64_t number : numbers)
    while (number % most != 0) most /= 2;
  return most;
}

struct Layouts {
  PlainMove move;
  int width;                                        // bytes of a unit
  std::int64_t source_alignment, target_alignment;  // bytes, of element 0
};

using Dims = std::vector<MoveDim>;

// Units of an access along a run of `length` of them, in the source or the target, whose stride is
// 1, so that each is aligned and lies in the run as a whole. `others`: all dimensions but the
// run's.
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

// Units along the fastest dimension of the target that may move as one.
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

// The same move of units that are so many times as wide.
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

// Where accesses of the target alone can be wide.
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

std::int64_t tiles_of(std::int64_t extent, std::int64_t tile) { return (extent + tile - 1) / tile; }

// How much of a tile of this length is used, and how well.
double use_of(std::int64_t extent, std::int64_t tile, std::int64_t access, int width) {
  const double used =
      static_cast<double>(extent) / static_cast<double>(tiles_of(extent, tile) * tile);
  const double run =
      tile < extent ? std::min(1.0, static_cast<double>(tile * width) / kFullRun) : 1.0;
  return used * run * (tile < access ? 0.7 : 1.0);
}

// Dimensions that follow each other in the source or in the target, the slowest first, and how many
// units they are.
struct Line {
  Dims dims;
  std::int64_t extent = 1;

  explicit Line(const MoveDim& first) : dims{first}, extent(first.extent) {}
  // Takes the dimension that continues this one from `rest`, as long as it is short.
  void grow(Dims& rest, bool of_source, int width) {
    while (dims.size() < kRunDims && static_cast<double>(extent * width) < kFullRun) {
      const MoveDim& fastest = dims.back();
      const auto next = std::find_if(rest.begin(), rest.end(), [&](const MoveDim& dim) {
        if (!of_source) return dim.target == fastest.target * extent;
        return dim.source == fastest.source * extent && dim.step == 1 && dim.inside == dim.extent &&
               fastest.inside == fastest.extent;
      });
      if (next == rest.end()) return;
      extent *= next->extent;
      dims.insert(dims.begin(), *next);
      rest.erase(next);
    }
  }
  std::int64_t inside() const { return dims.size() == 1 ? dims.front().inside : extent; }
  Run run() const {
    Run run;
    for (const MoveDim& dim : dims) run.dims[run.rank++] = units_dim(dim);
    run.extent = static_cast<unsigned>(extent);
    return run;
  }
};

Dims joined(Dims dims, const Dims& more) {
  dims.insert(dims.end(), more.begin(), more.end());
  return dims;
}

std::optional<MoveLaunch> by_tiles(const Layouts& layouts) {
  if (layouts.move.zero || layouts.move.dims.size() < 2 || layouts.width > 8) return std::nullopt;
  Dims rest = layouts.move.dims;
  Line b(rest.back());
  rest.pop_back();
  const auto nearest =
      std::min_element(rest.begin(), rest.end(),
                       [](const MoveDim& p, const MoveDim& q) { return p.source < q.source; });
  if (nearest->source >= b.dims.back().source || nearest->step != 1) return std::nullopt;
  Line a(*nearest);
  rest.erase(nearest);
  b.grow(rest, false, layouts.width);
  a.grow(rest, true, layouts.width);

  const std::int64_t a_stride = a.dims.back().source, b_stride = b.dims.back().target;
  const std::int64_t load =
      a_stride == 1 ? access(layouts, true, a.inside(), joined(rest, b.dims)) : 1;
  const std::int64_t store =
      b_stride == 1 ? access(layouts, false, b.extent, joined(rest, a.dims)) : 1;
  const auto a_tile = [](int bits) { return std::int64_t{kTileWords} >> bits; };
  const auto b_tile = [&](int bits) { return (std::int64_t{4} << bits) / layouts.width; };
  int row_bits = 0;
  double best = 0;
  for (const int bits : {5, 4, 6, 3, 7, 2, 8, 1, 9, 0, 10}) {
    if (b_tile(bits) == 0) continue;
    const double use = use_of(a.extent, a_tile(bits), load, layouts.width) *
                       use_of(b.extent, b_tile(bits), store, layouts.width);
    if (use <= best * 1.1) continue;  // a square tile is best where nothing speaks against it
    best = use;
    row_bits = bits;
  }
  if (best < kLeastUse) return std::nullopt;

  TileMove move;
  move.row_bits = row_bits;
  move.load_bytes = static_cast<int>(std::min(load, a_tile(row_bits)) * layouts.width);
  move.store_bytes = static_cast<int>(std::min(store, b_tile(row_bits)) * layouts.width);
  move.a_tiles = divider(tiles_of(a.extent, a_tile(row_bits)));
  move.b_tiles = static_cast<unsigned>(tiles_of(b.extent, b_tile(row_bits)));
  move.a = a.run();
  move.b = b.run();
  move.a_inside = static_cast<unsigned>(a.inside());
  move.a_source = a_stride;
  move.b_target = b_stride;
  std::int64_t blocks = std::int64_t{move.a_tiles.divisor} * move.b_tiles;
  for (const MoveDim& dim : rest) {
    move.outer[move.rank++] = units_dim(dim);
    blocks *= dim.extent;
  }
  MoveLaunch launch = launch_at(layouts);
  launch.kernel = layouts.width == 2   ? "atc_move_tile_2"
                  : layouts.width == 4 ? "atc_move_tile_4"
                                       : "atc_move_tile_8";
  launch.blocks = static_cast<unsigned>(blocks);
  launch.parameters = move;
  return launch;
}

// Runs that are short in both views are units of their own: what is beside them may then be a
// transposition.
MoveLaunch by_any(const Layouts& layouts) {
  const std::int64_t joint = joint_units(layouts);
  const Layouts wide = widened(layouts, joint);
  if (const auto tiles = by_tiles(wide)) return *tiles;
  if (joint == 1)
    if (const auto rows = by_wide_rows(layouts)) return *rows;
  return by_units(wide);
}

// Halves of a move with too many elements for one launch.
void split(const Layouts& layouts, std::vector<MoveLaunch>& launches) {
  std::int64_t elements = 1;
  for (const MoveDim& dim : layouts.move.dims) elements *= dim.extent;
  if (elements == 0) return;
  if (elements <= kMostElements) {
    launches.push_back(by_any(layouts));
    return;
  }
  Layouts first = layouts, second = layouts;
  const auto widest =
      static_cast<std::size_t>(std::max_element(layouts.move.dims.begin(), layouts.move.dims.end(),
                                                [](const MoveDim& p, const MoveDim& q) {
                                                  return p.extent / p.step < q.extent / q.step;
                                                }) -
                               layouts.move.dims.begin());
  const MoveDim& whole = layouts.move.dims[widest];
  // At a step's beginning, and where accesses stay aligned.
  const std::int64_t grain = whole.step * (whole.extent / whole.step >= 128 ? 64 : 1);
  const std::int64_t half = whole.extent / 2 / grain * grain;
  const std::int64_t from = half / whole.step;
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
